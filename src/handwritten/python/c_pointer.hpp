// Addresses as ctypes takes them.
#pragma once

#include <Python.h>

namespace pygpu {

// ctypes.c_void_p(pointer): what `_as_parameter_` must give, since ctypes cuts an int to 32 bits where a
// function has no argtypes.
PyObject *c_pointer(const void *pointer);

// The same of an object whose int() is its address: the getter of an attribute `_as_parameter_`.
PyObject *as_parameter(PyObject *self, void *);

} // namespace pygpu
