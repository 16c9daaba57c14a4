// The CUDA Array Interface, version 3, of all arrays.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>

namespace pygpu::arrays {

// What an array says of itself; all borrowed.
struct Described {
    PyObject *shape;
    PyObject *strides; // null where the elements are compact in C order
    PyObject *typestr;
    PyObject *fields; // the dtype's `descr`; null where it has no fields
};

// The interface of an array that begins at `data` (null for one without elements). Its stream is the memory's
// own: that comes after all that PyGPU queued on the memory, on whatever stream, and so does who goes on
// there. The protocol has no number for HIP's default stream: all is waited for then. GPUError; `call` begins
// the message.
PyObject *cuda_array_interface(const char *call, const Retained<Buffer> &buffer, void *data,
                               const Described &array);

} // namespace pygpu::arrays
