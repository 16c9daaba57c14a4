// pointer_wrapper_<dtype>: a pointer to items of the host's or a device's memory, which it keeps alive.
#pragma once

#include "arrays/memory/buffer.hpp"
#include "arrays/types/per_dtype/dtype.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

struct PointerWrapper {
    PyObject_HEAD
    const DType *dtype;
    void *pointer;
    Py_ssize_t count; // items from there on; unknown_count for a bare address
    bool safe;        // to memory of the host that this process may read
    bool readonly;
    Reference owner;         // of the host's memory
    Retained<Buffer> buffer; // the device's memory, or the host's when page-locked
};

inline constexpr Py_ssize_t unknown_count = -1;

// To memory of the host that `owner` owns.
PyObject *make_host_pointer(const DType &dtype, void *pointer, Py_ssize_t count, bool readonly,
                            PyObject *owner);
// To (a part of) a buffer; null where there is none yet.
PyObject *make_buffer_pointer(const DType &dtype, void *pointer, Py_ssize_t count,
                              const Retained<Buffer> &buffer);

PointerWrapper *pointer_wrapper(PyObject *object); // null for another type; borrowed

} // namespace pygpu::arrays
