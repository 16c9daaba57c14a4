// The Python type of arrays inside structs: views with len, items, slices and iteration, equal to lists of
// the same values.
#pragma once

#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// A view on the array field at `at`, in the memory of `root`.
PyObject *make_items(const StructTables &tables, const Field &field, std::byte *at, StructObject *root);

// A view on the array that a pointer leads to. `item` describes one element and holds the count. int() is the
// address. `foreign` memory is C's: it is read only when somebody asks for an item.
PyObject *make_counted_items(const StructTables &tables, const Field &item, std::byte *at, StructObject *root,
                             bool foreign);

} // namespace pygpu
