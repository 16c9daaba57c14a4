// The Python modules of one API, whatever API it is: `PyGPU.cuda` and `PyGPU.cuda.checked`.
#pragma once

#include "module/vendor.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

// What gives an object gives a new reference here, null with an exception set.

// One of the APIs that this extension module holds; null with ValueError set for another name.
Vendor *vendor_named(const char *name);

// All public names that the loaded release has, a list; those of all releases while no library is there.
PyObject *names_of(const Vendor &vendor);

// A module of an API's functions, in one form. `host`: the host runtime may stand in for the vendor's
// library.
PyObject *make_api_module(Vendor &vendor, const char *name, const char *doc, bool raising, bool host = false);

// A class of another API's that a handle's portable name stands for; null where there is none.
using Counterpart = const HandleClass *(const HandleClass &kind);

// Makes the modules of an API, registers them in sys.modules, and adds the one with statuses to an extension
// module. False with an exception set, as the next two.
bool add_api(PyObject *extension, Vendor &vendor, Counterpart *counterpart = nullptr);

// What an extension module offers to the Python side besides: names, what the loader calls, pickled
// structs, and that the exit is noticed.
bool add_common_functions(PyObject *extension);

// What the PyInit_ function of an extension module returns: the module, once `fill` has added what it holds.
// Null with an exception set. An extension module calls it once.
PyObject *make_extension(const char *name, const char *doc, bool (*fill)(PyObject *extension));

// The functions of an API, as another extension module of the same build sees them.
struct SharedFunctions {
    std::span<const std::span<const Function>> groups; // as Vendor has them
};

// Those of an API by its namespace; imports its module. Null with an exception set.
const SharedFunctions *functions_of(const char *api);

// A name of an API's module that is imported; nullptr without an exception where it has none.
PyObject *cuda_attribute(const char *api, const char *name);

// The module of an API's functions where the host runtime may stand in for its library: made on first use.
// Borrowed; null with an exception set.
PyObject *on_host(Vendor &vendor, bool raising);

// The class that a portable name gives: handles have one of their own, so that it knows its name. Takes the
// reference.
PyObject *portable_type(PyObject *found);

// `module.__getattr__` for a name that is nowhere: raises what says what was meant.
PyObject *raise_missing(PyObject *module, PyObject *name);

} // namespace pygpu
