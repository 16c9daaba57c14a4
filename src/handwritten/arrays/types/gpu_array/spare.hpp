// Free list of array objects, as CPython has for some of its own small types.
#pragma once

#include "arrays/types/gpu_array/array.hpp"

namespace pygpu::arrays {

// A new object of the class with so many axes, which the collector tracks and whose fields are zero; null
// with MemoryError set.
PyObject *new_array_object(PyTypeObject *type, int axes);

// Its end, once it refers to nothing and isn't tracked.
void end_array_object(PyObject *self);

} // namespace pygpu::arrays
