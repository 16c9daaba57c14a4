// Memory for PyGPU.ipc: memory that other processes can open, and memory that another process lends.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Adds _plain_memory(), _lent_memory(), _is_readonly(), _order_export() and _order_import() to a module;
// false with an exception set.
bool add_process_functions(PyObject *module);

} // namespace pygpu::arrays
