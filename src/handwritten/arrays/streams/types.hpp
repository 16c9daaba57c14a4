// The types of streams that Python sees.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Adds Stream and Event to a module.
bool add_streams(PyObject *module);

} // namespace pygpu::arrays
