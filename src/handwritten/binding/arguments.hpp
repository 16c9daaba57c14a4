// Putting positional and keyword arguments into the order of the parameters.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

namespace pygpu {

// Fills `slots` (one for each of `count` parameters; null where an optional one was left out). If the
// arguments don't fit, it sets a TypeError that names the function and the parameter, and returns false.
bool arrange(const FunctionRecord &record, PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *keywords, PyObject **slots, std::size_t count);

} // namespace pygpu
