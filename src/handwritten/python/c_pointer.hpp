// Addresses as ctypes takes them.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu {

// The address of elements of numpy's kind and size, or of any memory, which ctypes takes for a pointer to
// these, too.
PyObject *c_pointer_to(const void *pointer, char kind, std::size_t size);
PyObject *memory_as_parameter(PyObject *self, void *); // a getter, of what has int()

// The getter of an attribute `_as_parameter_`, of an object whose int() is its address. It gives a
// ctypes.c_void_p: ctypes cuts an int to 32 bits where a function has no argtypes.
PyObject *as_parameter(PyObject *self, void *);

} // namespace pygpu
