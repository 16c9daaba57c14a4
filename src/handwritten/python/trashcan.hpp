// Destructors of objects that may own the next of their kind, in a chain of any length: between
// Py_TRASHCAN_BEGIN(self, destructor) and Py_TRASHCAN_END the stack doesn't grow with it. Python has the two
// since 3.9; a later one may do so for every object by itself.
#pragma once

#include <Python.h>

#ifndef Py_TRASHCAN_BEGIN
#define Py_TRASHCAN_BEGIN(object, destructor)
#define Py_TRASHCAN_END
#endif
