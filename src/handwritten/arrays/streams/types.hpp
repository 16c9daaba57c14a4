// The types of streams that Python sees.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

// Adds Stream, Event and GraphBase to a module.
bool add_streams(PyObject *module);

} // namespace pygpu::arrays
