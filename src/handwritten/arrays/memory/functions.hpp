// The functions on memory that Python sees.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Adds memory_info(), trim_memory() and the other functions on memory, and the types of memory, to a module.
bool add_memory(PyObject *module);

} // namespace pygpu::arrays
