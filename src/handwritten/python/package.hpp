// Functions of PyGPU that are written in Python: what is rare, and what is put in words.
#pragma once

#include <Python.h>

namespace pygpu {

// Calls one: the module is imported on its first use, `format` is Py_BuildValue's, a tuple. Null with an
// exception set.
PyObject *call_in_package(const char *module, const char *function, const char *format, ...);

// Raises an exception object, of which the reference is taken; null for one that couldn't be made. Always
// returns null.
PyObject *raise_object(PyObject *exception);

} // namespace pygpu
