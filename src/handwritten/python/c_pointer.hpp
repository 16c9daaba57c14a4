// Addresses as ctypes takes them.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// An address that ctypes accepts for a pointer to elements of this kind (numpy's letter) and size.
PyObject *c_pointer_to(const void *pointer, char kind, std::size_t size);
// A getter for an object whose int() is its address. ctypes accepts the result for a pointer to any type.
PyObject *memory_as_parameter(PyObject *self, void *);

// The getter of `_as_parameter_` for an object whose int() is its address. It gives a ctypes.c_void_p,
// because ctypes cuts an int to 32 bits when a function has no argtypes.
PyObject *as_parameter(PyObject *self, void *);

} // namespace pygpu
