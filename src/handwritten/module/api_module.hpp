// The Python modules of one API, whatever API it is: `PyGPU.cuda` and `PyGPU.cuda.checked`.
#pragma once

#include "module/vendor.hpp"

#include <Python.h>

#include <pybind11/pybind11.h>

#include <string>

namespace pygpu {

// The object of a new reference; throws the exception where it is null.
pybind11::object taken(PyObject *object);

// One of the APIs that this extension module holds. Throws ValueError for another name.
Vendor &vendor_named(const std::string &name);

// All public names that the loaded release has; those of all releases while no library is there.
pybind11::list names_of(const Vendor &vendor);

// A module of an API's functions, in one form. `host`: the host runtime may stand in for the vendor's
// library.
pybind11::object make_api_module(Vendor &vendor, const char *name, const char *doc, bool raising,
                                 bool host = false);

// A class of another API's that a handle's portable name stands for; null where there is none.
using Counterpart = const HandleClass *(const HandleClass &kind);

// Makes the modules of an API, registers them in sys.modules, and gives the one with statuses.
pybind11::object add_api(Vendor &vendor, Counterpart *counterpart = nullptr);

// What an extension module offers to the Python side besides: names, and what the loader asks for.
void add_loader_functions(pybind11::module_ &module);

// The class that a portable name gives: handles have one of their own, so that it knows its name. Takes the
// reference.
PyObject *portable_type(PyObject *found);

// `module.__getattr__` for a name that is nowhere: raises what says what was meant.
PyObject *raise_missing(PyObject *module, PyObject *name);

} // namespace pygpu
