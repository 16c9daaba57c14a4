// Arrays inside structs: views with len, items, slices and iteration, equal to lists of the same values.
#pragma once

#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// A view on the array field at `at`, in the memory of `root`.
PyObject *make_items(const StructTables &tables, const Field &field, std::byte *at, StructObject *root);

// A view on the array that a pointer leads to; `item` is one element with the count. int() is the address.
// What is `foreign` is C's memory, which is only read for an item.
PyObject *make_counted_items(const StructTables &tables, const Field &item, std::byte *at, StructObject *root,
                             bool foreign);

bool is_items(PyObject *object);

} // namespace pygpu
