// The Python modules of any one API, such as `PyGPU.cuda` and `PyGPU.cuda.checked`.
#pragma once

#include "module/vendor.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

// Functions that return an object return a new reference here, or null with an exception set.

// One of the APIs of this extension module; null with ValueError set for another name.
Vendor *vendor_named(const char *name);

// A list of all public names in the loaded release, or in all releases while no library is loaded.
PyObject *names_of(const Vendor &vendor);

// A module with an API's functions, which raise or return statuses. `host`: the host runtime may stand in for
// the vendor's library.
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

// The functions of an API, for another extension module of the same build.
struct SharedFunctions {
    std::span<const std::span<const Function>> groups; // as in Vendor
};

// The functions of an API, by its namespace; imports its module. Null with an exception set.
const SharedFunctions *functions_of(const char *api);

// Imports an API's module and returns its attribute. Null without an exception if there is no such attribute.
PyObject *cuda_attribute(const char *api, const char *name);

// The module of an API's functions for which the host runtime may stand in for the library: made on first
// use. Borrowed; null with an exception set.
PyObject *on_host(Vendor &vendor, bool raising);

// The object that a portable name stands for. A handle class has a second class for its portable name, which
// knows that name; all other objects stay as they are. Takes over the reference.
PyObject *portable_type(PyObject *found);

// `module.__getattr__` for a name that doesn't exist. Raises an exception with the name that may be meant.
PyObject *raise_missing(PyObject *module, PyObject *name);

} // namespace pygpu
