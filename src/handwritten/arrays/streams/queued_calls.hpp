// Calls of Python functions that streams reach, and don't wait for.
#pragma once

#include <Python.h>

namespace pygpu::arrays {

bool add_queued_calls(PyObject *module); // false with an exception set

} // namespace pygpu::arrays
