// Functions for PyGPU.Graph, which keeps what its work needs by itself.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

bool add_owned_graphs(PyObject *module); // false with an exception set

} // namespace pygpu::arrays
