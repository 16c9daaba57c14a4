// Lending arrays to other libraries as DLPack's tensors.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

// The exported array; all borrowed.
struct Exported {
    Buffer *buffer;  // null for memory of the host
    PyObject *owner; // keeps the memory of the host alive
    const void *data;
    int axes;
    const ssize_t *shape;
    const ssize_t *strides; // in bytes
    ssize_t itemsize;
    PyObject *dtype;
    DLDevice device;
    bool copied = false;
};

// Fills in a tensor. `shape` and `strides` are memory for its sizes. BufferError for a dtype or strides that
// DLPack can't express, and for negative strides, which consumers can't take.
bool describe(const Exported &array, std::int64_t *shape, std::int64_t *strides, DLTensor &tensor);

// A new tensor. Its deleter may be called on any thread. Null with an exception set.
DLManagedTensorVersioned *lend_versioned(const Exported &array);

// The same in a capsule. `max_version` is the consumer's: None, or a tuple of two ints. A consumer that knows
// no versions gets BufferError for read-only memory.
PyObject *lend_capsule(const Exported &array, PyObject *max_version);

} // namespace pygpu::arrays
