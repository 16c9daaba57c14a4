// Reading one value in a struct's memory.
#pragma once

#include "types/structs/object.hpp"

#include <Python.h>

#include <cstddef>

namespace pygpu {

// The value of a field, or of one element of an array, in the memory of `root`: a new reference.
PyObject *read_item(const StructTables &tables, const Field &field, std::byte *at, StructObject *root);

} // namespace pygpu
