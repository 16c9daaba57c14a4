// pointer_wrapper_<dtype>: a pointer to items in memory of the host or of a device. It keeps the memory
// alive.
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
    Py_ssize_t count; // items from the address on; unknown_count for a bare address
    bool safe;        // points to memory of the host that this process may read
    bool readonly;
    Reference owner;         // the owner of ordinary memory of the host
    Retained<Buffer> buffer; // device memory, or page-locked memory of the host
};

inline constexpr Py_ssize_t unknown_count = -1;

// A pointer to memory of the host that `owner` owns.
PyObject *make_host_pointer(const DType &dtype, void *pointer, Py_ssize_t count, bool readonly,
                            PyObject *owner);
// A pointer to a buffer or a part of it. `buffer` may be empty; then `pointer` is null.
PyObject *make_buffer_pointer(const DType &dtype, void *pointer, Py_ssize_t count,
                              const Retained<Buffer> &buffer);

PointerWrapper *pointer_wrapper(PyObject *object); // null for another type; borrowed

} // namespace pygpu::arrays
