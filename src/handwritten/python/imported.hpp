// A class of another module.
#pragma once

#include "python/package.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu {

// Imports a module and returns its class of this name. TypeError if it is no class.
inline Reference imported_class(const char *module, const char *name) {
    Reference found = from_module(module, name);
    if (found && !PyType_Check(found.get())) {
        PyErr_Format(PyExc_TypeError, "%s.%s is no class", module, name);
        return {};
    }
    return found;
}

} // namespace pygpu
