// A free list of array objects, as CPython has for some of its own small types.
#pragma once

#include "arrays/types/gpu_array/array.hpp"

namespace pygpu::arrays {

// A new object of the class, with room for `axes` axes. The garbage collector tracks it, and its fields are
// zero. Null with MemoryError set.
PyObject *new_array_object(PyTypeObject *type, int axes);

// Frees an object or keeps it as a spare. It must refer to no objects any more, and must not be tracked.
void end_array_object(PyObject *self);

} // namespace pygpu::arrays
