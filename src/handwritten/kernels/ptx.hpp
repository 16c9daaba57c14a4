// The kernels of PTX and their parameters.
#pragma once

#include <Python.h>

namespace pygpu::kernels {

// ptx_kernels(text): from the name of each kernel to its parameters, each (size, kind, None, offset, type) as
// load_parameters() reads them. A kernel with a parameter that can't be read is left out. A new reference;
// null with an exception set.
PyObject *ptx_kernels(PyObject *self, PyObject *text);

} // namespace pygpu::kernels
