// The Python modules of any one API, such as `PyGPU.cuda` and `PyGPU.cuda.checked`.
#pragma once

#include "module/vendor.hpp"

#include <Python.h>

namespace pygpu {

// A module with an API's functions, which raise or return statuses. `host`: the host runtime may stand in for
// the vendor's library. A new reference; null with an exception set.
PyObject *make_api_module(Vendor &vendor, const char *name, const char *doc, bool raising, bool host = false);

// The class of another API that has the portable name of a handle class; null if there is none.
using Counterpart = const HandleClass *(const HandleClass &kind);

// Makes the modules of an API, registers them in sys.modules, and adds the one that returns statuses to an
// extension module. False with an exception set.
bool add_api(PyObject *extension, Vendor &vendor, Counterpart *counterpart = nullptr);

// Adds the functions that PyGPU's Python code needs of an extension module: for names, for the loader and for
// pickled structs. Also makes the exit of the program wait for callbacks. False with an exception set.
bool add_common_functions(PyObject *extension);

// Makes an extension module for its PyInit_ function; `fill` adds the contents. Null with an exception set.
// An extension module calls it once.
PyObject *make_extension(const char *name, const char *doc, bool (*fill)(PyObject *extension));

// The module of an API's functions for which the host runtime may stand in for the library: made on first
// use. Borrowed; null with an exception set.
PyObject *on_host(Vendor &vendor, bool raising);

} // namespace pygpu
