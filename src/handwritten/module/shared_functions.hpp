// The functions of an API, for another extension module of the same build.
#pragma once

#include "module/vendor.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

struct SharedFunctions {
    std::span<const std::span<const Function>> groups; // as in Vendor
};

// Offers the functions of an API as an attribute of its module. False with an exception set.
bool share_functions(PyObject *module, const Vendor &vendor);

// The functions of an API, by its namespace; imports its module. Null with an exception set.
const SharedFunctions *functions_of(const char *api);

} // namespace pygpu
