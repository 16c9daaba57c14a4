// Arrays as DLPack's tensors for others.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

// What is exported; all borrowed.
struct Exported {
    Buffer *buffer;  // null for memory of the host that `owner` keeps
    PyObject *owner; // of that
    const void *data;
    int axes;
    const ssize_t *shape;
    const ssize_t *strides; // in bytes
    ssize_t itemsize;
    PyObject *dtype;
    DLDevice device;
    bool copied = false;
};

// Fills in a tensor, with room for its shape and strides. BufferError for a dtype or strides that DLPack
// can't express, and for negative strides, which consumers can't take.
bool describe(const Exported &array, std::int64_t *shape, std::int64_t *strides, DLTensor &tensor);

// A tensor in one piece of memory with its shape; its deleter may be called on any thread. Null with an
// exception set.
DLManagedTensorVersioned *lend_versioned(const Exported &array);

// The same in a capsule, of the version asked for: None, or a tuple of two. For a consumer that knows no
// versions, read-only memory is a BufferError.
PyObject *lend_capsule(const Exported &array, PyObject *max_version);

} // namespace pygpu::arrays
