// Reading the fields of a struct.
#pragma once

#include "types/structs/object.hpp"

#include <Python.h>

namespace pygpu {

// The value of a field of an object, a new reference. A view keeps the object with the memory alive.
PyObject *read_field(StructObject *self, const Field &field);

} // namespace pygpu
