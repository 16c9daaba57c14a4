// The arrays' part of the module: PyGPU._core.arrays.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Makes the module and adds it to `core`. False with an exception set.
bool add_arrays(PyObject *core);

} // namespace pygpu::arrays
