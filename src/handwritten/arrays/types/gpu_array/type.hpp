// Adding the array type to the module.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Adds Array, empty() and to_gpu().
bool add_gpu_array(PyObject *module);

} // namespace pygpu::arrays
