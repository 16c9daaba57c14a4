// Shapes of contiguous memory as Python objects.
#pragma once

#include "python/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct Extent {
    Py_ssize_t count = 0; // items
    Reference shape;      // tuple of ints
    Reference strides;    // tuple of ints, in bytes
};

// Reads a size, or a list or tuple of sizes, in C order. TypeError; ValueError for a negative size, and for
// more bytes than there are addresses. `call` begins the message.
bool load_extent(PyObject *sizes, Py_ssize_t item_size, const char *call, Extent &extent);

// Reads a contiguous buffer, in the order that it has.
bool take_extent(const Py_buffer &buffer, Extent &extent);

} // namespace pygpu::arrays
