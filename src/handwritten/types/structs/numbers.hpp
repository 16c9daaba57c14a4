// Reading and writing one number in memory, by the kind of scalar that the table names.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/layout.hpp"

#include <Python.h>

#include <cstddef>
#include <string>

namespace pygpu {

// The bits of an integer field, sign-extended where its type is signed.
long long load_integer(const Field &field, const std::byte *at);
bool is_signed(Scalar scalar);

PyObject *read_number(const Field &field, const std::byte *at);
bool write_number(const Field &field, std::byte *at, PyObject *value, const ArgumentContext &context);

// Stores an int that needs no conversion, as most values of most fields are; false for all others.
[[gnu::hot]] bool write_small_int(const Field &field, std::byte *at, PyObject *value);

// The same for the usual case in launches and copies: a tuple of such ints for a struct of numbers of one
// kind. False for anything else; some numbers may then be stored already.
[[gnu::hot]] bool write_small_ints(const Layout &shape, std::byte *at, PyObject *tuple);

// Stores a count, or the bits of a default.
void store_number(const Field &field, std::byte *at, unsigned long long value);

// A default as Python shows it.
std::string shown_default(const Field &field);

bool is_zero(const std::byte *at, std::size_t size);

} // namespace pygpu
