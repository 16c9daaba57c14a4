// Shapes and strides as Python has them.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// A tuple of ints; null with an exception set.
PyObject *sizes_to_python(const Py_ssize_t *sizes, Py_ssize_t count);

} // namespace pygpu::arrays
