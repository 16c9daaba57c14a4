// Addresses as ctypes takes them.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// ctypes.c_void_p(pointer): what `_as_parameter_` must give, since ctypes cuts an int to 32 bits where a
// function has no argtypes.
PyObject *c_pointer(const void *pointer);

} // namespace pygpu::arrays
