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

    // The name as the loaded release has it, as the newest listed one while no library is there. Null where
    // there is no such name.
    const Name *find(const char *name) const;
    // All forms of a name over the releases.
    std::span<const Name> forms(const char *name) const;
    // Whether the loaded release has what was found.
    bool has(const Name &name) const;
    // The object behind a name, a new reference; nullptr without an exception where there is no such name.
    // Where only the library can tell the value it is loaded; `host`: the host runtime may stand in for it.
    PyObject *lookup(const char *name, bool host) const;
    // The value of an error enumerator by name, for other vendors' names of it.
    PyObject *object_of(const Name &name) const;
};

} // namespace pygpu
