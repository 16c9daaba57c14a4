// From fields to Python objects and back.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Where a struct's bytes are written, and the owners of what its pointers point to.
struct Target {
    StructClass &kind;
    std::size_t layout;
    std::byte *data;
    PointerOwners owners;

    const Layout &shape() const { return kind.layout(layout); }
};

// The value of a field of an object, a new reference. A view keeps the object with the memory alive.
PyObject *read_field(StructObject *self, const Field &field);
// The same for one value, or for one element of an array, in the memory of `root`.
PyObject *read_item(const StructTables &tables, const Field &field, std::byte *at, StructObject *root);

// Writes a field in place; after a failure it may be half written. `context` names the field.
bool write_field(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context);
bool write_item(const StructTables &tables, const Field &field, std::byte *at, const PointerOwners &owners,
                PyObject *value, const ArgumentContext &context);

// Writes a field of an object, wholly or not at all.
bool set_field(StructObject *self, const Field &field, PyObject *value, const ArgumentContext &context);
bool set_item(StructObject *root, const StructTables &tables, const Field &field, std::byte *at,
              PyObject *value, const ArgumentContext &context);

} // namespace pygpu
