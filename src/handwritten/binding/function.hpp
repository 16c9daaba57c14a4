// Python function objects for the function records of an API.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

namespace pygpu {

using FastCall = PyObject *(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

struct Function {
    const FunctionRecord *record;
    FastCall *call;
};

// A function object. `names` gives its name and docstring, which is composed here; `qualified` is the module
// where pickle finds it.
PyObject *make_function(PyObject *self, const char *qualified, const FunctionRecord &names, FastCall *call);

} // namespace pygpu
