// Arrays outside of a struct: a pointer leads to the first item, and another field counts the items.
#pragma once

#include "binding/argument_context.hpp"
#include "types/structs/target.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Describes an item that a pointer leads to as a field, for write_item().
Field item_of(const StructTables &tables, const Field &field);

// The memory of an array that a pointer got from a sequence; null for any other pointer.
StructObject *counted_memory(const PointerOwners &owners, const std::byte *at);
std::size_t counted_items(const StructObject *memory, const Field &item);

// A count may not exceed the items of any array that was filled from a sequence. The array `setting` is just
// being replaced, so it doesn't matter.
bool check_count(const Target &target, const Field &counter, unsigned long long count,
                 const ArgumentContext &context, const Field *setting = nullptr);
// The same for a number that is written to the count itself.
bool check_count(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context);

} // namespace pygpu
