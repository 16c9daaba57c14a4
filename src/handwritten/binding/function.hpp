// Python function objects for the function records of an API.
#pragma once

#include "binding/function_record.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

using FastCall = PyObject *(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *keywords);

struct Function {
    const FunctionRecord *record;
    FastCall *call;
};

// A function object. `names` gives its name and docstring, `qualified` the module where pickle finds it.
PyObject *make_function(PyObject *self, const char *qualified, const FunctionRecord &names, FastCall *call);

// Adds each function to its mode's module.
bool add_functions(PyObject *module, const char *qualified, std::span<const Function> functions);

} // namespace pygpu
