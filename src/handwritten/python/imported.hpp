// A class of another module.
#pragma once

#include "python/package.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu {

// Imports a module and returns its class of this name. TypeError if it is no class.
inline Reference imported_class(const char *module, const char *name) {
    Reference object = from_module(module, name);
    if (object && !PyType_Check(object.get())) {
        PyErr_Format(PyExc_TypeError, "%s.%s is no class", module, name);
        return {};
    }
    return object;
}

} // namespace pygpu
