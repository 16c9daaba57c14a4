// Writing Python values into structs. A struct holds fields, and a field may hold structs.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/target.hpp"

#include <Python.h>

#include <cstddef>
#include <span>

namespace pygpu {

// Replaces the whole struct. Accepts an object of its kind, a dict (missing fields are reset), a tuple or
// list of all fields, or a buffer that is large enough. If every field has a default, it also accepts one
// number or a shorter tuple.
[[gnu::hot]] bool fill(const Target &target, PyObject *value, const ArgumentContext &context);

// Sets fields by position, then those of `named` (a dict or null); the rest is left alone.
bool fill_values(const Target &target, std::span<PyObject *const> values, PyObject *named,
                 const ArgumentContext &context);

// Writes a field in place; after a failure it may be half written. `context` names the field.
bool write_field(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context);
// The same for one value, or for one element of an array.
bool write_item(const StructTables &tables, const Field &field, std::byte *at, const PointerOwners &owners,
                PyObject *value, const ArgumentContext &context);

// Writes a field of an object, wholly or not at all.
bool set_field(StructObject *self, const Field &field, PyObject *value, const ArgumentContext &context);
bool set_item(StructObject *root, const StructTables &tables, const Field &field, std::byte *at,
              PyObject *value, const ArgumentContext &context);

} // namespace pygpu
