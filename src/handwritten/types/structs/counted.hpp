// Arrays outside of a struct: a pointer leads to the first item, and another field counts the items.
#pragma once

#include "binding/argument_context.hpp"
#include "convert/memory.hpp"
#include "types/structs/target.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// Describes an item that a pointer leads to as a field, for write_item().
Field item_of(const StructTables &tables, const Field &field);

// The memory that such a pointer leads to, as far as its owner says.
struct CountedMemory {
    PyObject *owner = nullptr;     // borrowed; null for C's memory
    StructObject *array = nullptr; // made from a sequence
    std::size_t size = Memory::unknown;
    bool readonly = false, on_device = false;

    bool is_known() const { return size != Memory::unknown; }
    std::size_t items(const Field &item) const { return size / item.size; }
};
CountedMemory counted_memory(const PointerOwners &owners, const std::byte *at);

// A count may not exceed the items of any array whose size is known. The array `setting` is just being
// replaced, so it doesn't matter.
bool check_count(const Target &target, const Field &counter, unsigned long long count,
                 const ArgumentContext &context, const Field *setting = nullptr);
// The same for a pointer to memory that replaces the array of a field.
bool check_size(const Target &target, const Field &field, const CountedMemory &memory,
                const ArgumentContext &context);
// The same for a number that is written to the count itself.
bool check_count(const Target &target, const Field &field, PyObject *value, const ArgumentContext &context);

} // namespace pygpu
