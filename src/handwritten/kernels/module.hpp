// The kernels' part of the module: PyGPU._core.kernels.
#pragma once

#include <Python.h>

namespace pygpu::kernels {

// Makes the module and adds it to `core`. False with an exception set.
bool add_kernels(PyObject *core);

} // namespace pygpu::kernels
