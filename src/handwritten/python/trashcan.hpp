// For destructors of objects that may form a chain of any length, where each owns the next one. Between
// Py_TRASHCAN_BEGIN(self, destructor) and Py_TRASHCAN_END the stack doesn't grow with the chain. Python has
// these macros since 3.9. If a later version lacks them, it does the same for every object by itself.
#pragma once

#include <Python.h>

#ifndef Py_TRASHCAN_BEGIN
#define Py_TRASHCAN_BEGIN(object, destructor)
#define Py_TRASHCAN_END
#endif
