// A whole struct from what Python offers for it: its own kind, a dict, a tuple, a buffer.
#pragma once

#include "types/structs/fields.hpp"

#include <Python.h>

#include <span>

namespace pygpu {

// Zeros, and the defaults that rules give to fields.
void reset(const Target &target);

// How many fields have a position.
std::size_t positions(const Layout &shape);

// Sets fields by position, then those of `named` (a dict or null); the rest is left alone.
bool fill_values(const Target &target, std::span<PyObject *const> values, PyObject *named,
                 const ArgumentContext &context);

// Replaces the whole struct. Takes an object of its kind, a dict (what is missing is reset), a tuple or list
// of every field, a buffer that is large enough; one number or a few where each field has a default.
[[gnu::hot]] bool fill(const Target &target, PyObject *value, const ArgumentContext &context);

// Copies field by field between two layouts of a kind; ValueError for a value that `to` has no field for.
bool convert_layout(const Target &to, std::size_t layout, const std::byte *from,
                    const ArgumentContext &context);

} // namespace pygpu
