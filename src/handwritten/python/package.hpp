// Calling functions of PyGPU that are written in Python: rare work, and the wording of messages.
#pragma once

#include "python/package_names.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu {

// An attribute of a module, which is imported on first use. While the interpreter ends, nothing can be
// imported: then it is an attribute of a module that PyGPU._exit keeps. Null with an exception set.
Reference from_module(const char *module, const char *name);
Reference from_module(const PackageName &asked);

// Calls a function of the package. `format` is one of Py_BuildValue() that makes a
// tuple. Null with an exception set.
PyObject *call_in_package(const PackageName &asked, const char *format, ...);

// Raises an exception object, and takes over the reference. Null means that making it has failed, and has set
// another exception. Always returns null.
PyObject *raise_object(PyObject *exception);

} // namespace pygpu
