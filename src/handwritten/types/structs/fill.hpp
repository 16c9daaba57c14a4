// Fills a whole struct from a Python value: an object of its kind, a dict, a tuple or a buffer.
#pragma once

#include "types/structs/fields.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

// Sets every field to zero, or to the default that a rule gives it.
void reset(const Target &target);

// How many fields have a position.
std::size_t positions(const Layout &shape);

// Sets fields by position, then those of `named` (a dict or null); the rest is left alone.
bool fill_values(const Target &target, std::span<PyObject *const> values, PyObject *named,
                 const ArgumentContext &context);

// Replaces the whole struct. Accepts an object of its kind, a dict (missing fields are reset), a tuple or
// list of all fields, or a buffer that is large enough. If every field has a default, it also accepts one
// number or a shorter tuple.
[[gnu::hot]] bool fill(const Target &target, PyObject *value, const ArgumentContext &context);

// Copies field by field between two layouts of a kind; ValueError for a value that `to` has no field for.
bool convert_layout(const Target &to, std::size_t layout, const std::byte *from,
                    const ArgumentContext &context);

} // namespace pygpu
