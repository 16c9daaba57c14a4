// Pointers in structs: how they lie in memory, and what must live as long as they do.
#pragma once

#include "binding/argument_context.hpp"
#include "python/reference.hpp"
#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>
#include <cstring>

namespace pygpu {

class LaunchValues;

inline void *loaded_pointer(const std::byte *at) {
    void *pointer;
    std::memcpy(&pointer, at, sizeof pointer);
    return pointer;
}
inline void store_pointer(std::byte *at, const void *pointer) { std::memcpy(at, &pointer, sizeof pointer); }

// What must live as long as a pointer to it: the export of a buffer, else the object that gave the address;
// empty for a bare address.
Reference owner_of(PyObject *value);

// The launch arguments that such a pointer was set to; null if it wasn't, or if C's pointer is the caller's.
const LaunchValues *values_at(const PointerOwners &owners);

// Whether a field is a `const char *` that leads to text.
inline bool is_text_pointer(const Field &field) {
    return field.role == Role::pointer && field.item_role == Role::text && field.counted_by == uncounted;
}

// Writes a field of Role::pointer. Its rule says what the pointer leads to.
bool write_pointer(const Field &field, std::byte *at, const PointerOwners &owners, PyObject *value,
                   const ArgumentContext &context);
bool write_handle(HandleClass &handles, std::byte *at, const PointerOwners &owners, PyObject *value,
                  const ArgumentContext &context);

} // namespace pygpu
