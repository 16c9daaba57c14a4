// The public names of an API that are not functions: enumerators, macros, classes.
#pragma once

#include "binding/name.hpp"
#include "types/enums/enum_class.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

class StatusType;
class HandleClass;
class StructClass;

struct Directory {
    std::span<const Name> names;
    std::span<EnumClass> enums;
    std::span<HandleClass> handles;
    std::span<StructClass> structs;
    StatusType &errors;
    std::span<const char *const> error_aliases; // "cudaError_t"

    // The form of a name in the loaded release, or in the newest listed release while no library is loaded.
    // Null if there is no such name.
    const Name *find(const char *name) const;
    // All forms that a name has in the listed releases.
    std::span<const Name> forms(const char *name) const;
    // Whether the loaded release has this form of a name.
    bool has(const Name &name) const;
    // The object behind a name, a new reference; null without an exception if there is no such name. Loads
    // the library if the value depends on its release. `host`: the host runtime may stand in for it.
    PyObject *lookup(const char *name, bool host) const;
    // The object of one form of a name: a new reference, or null with an exception set.
    PyObject *object_of(const Name &name) const;
};

} // namespace pygpu
