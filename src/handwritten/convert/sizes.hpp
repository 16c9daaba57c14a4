// Shapes, strides and sizes as Python objects.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// A tuple of ints; null with an exception set.
PyObject *sizes_to_python(const Py_ssize_t *sizes, Py_ssize_t count);

// Whether an object is a single int: a number with __index__, or an array of ints without axes. No bool, no
// float.
bool is_size(PyObject *object);

// An int, of any sign. False with TypeError or OverflowError set, which name the call and the parameter.
bool load_int(PyObject *object, const char *call, const char *parameter, Py_ssize_t &value);

// The same for an int that must not be negative, else ValueError is set. If none was given, `value` stays as
// it is.
bool load_size(PyObject *object, const char *call, const char *parameter, Py_ssize_t &value);

} // namespace pygpu::arrays
