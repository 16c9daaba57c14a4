// What device code says without being loaded.
#pragma once

#include <Python.h>

namespace pygpu::kernels {

// Adds functions that read device code to the module of kernels. False with an exception set.
bool add_image_functions(PyObject *module);

} // namespace pygpu::kernels
