// Putting positional and keyword arguments into the order of the parameters.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

namespace pygpu {

// Fills `slots` (one for each of `count` parameters; null where an optional one was left out). Sets a
// TypeError that names function and parameter, and returns false, where the arguments don't fit.
bool arrange(const FunctionRecord &record, PyObject *self, PyObject *const *args, Py_ssize_t given,
             PyObject *keywords, PyObject **slots, std::size_t count);

} // namespace pygpu
