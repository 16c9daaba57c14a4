// Arrays of char in structs, as bytes or as text.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/layout.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

PyObject *read_characters(const Field &field, const std::byte *at);
bool write_bytes(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context);
bool write_text(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context);

} // namespace pygpu
