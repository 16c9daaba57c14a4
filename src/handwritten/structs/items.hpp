// Arrays inside structs: views with len, items, slices and iteration, equal to lists of the same values.
#pragma once

#include "structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// A view on the array field at `at`, in the memory of `root`.
PyObject *make_items(const StructTables &tables, const Field &field, std::byte *at, StructObject *root);

bool is_items(PyObject *object);

} // namespace pygpu
