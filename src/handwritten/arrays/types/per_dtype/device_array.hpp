// DeviceArray_<dtype>: memory of the host, the same amount of memory on a device, and the copies between
// them.
//
// Copies have the order of cudaMemcpy on the default stream. Statuses are returned and recorded, never
// raised.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/types/per_dtype/dtype.hpp"

#include <Python.h>

namespace pygpu::arrays {

// A new array on existing contiguous device memory, `offset` bytes into a buffer. `shape` and `strides` are
// tuples of ints. The host's side is made on first use.
PyObject *make_device_array(const DType &dtype, const Retained<Buffer> &buffer, std::size_t offset,
                            PyObject *shape, PyObject *strides);

// The memory on the device, and the address where the array begins. Null for another type, and before
// allocate().
Buffer *device_array_buffer(PyObject *object, char *&data);

bool is_device_array(PyObject *object);
const DType *device_array_dtype(PyObject *object); // null for another type
// The dtype and the layout of a device array. False with an exception set.
bool load_device_array(PyObject *object, const DType *&dtype, Layout &layout);

} // namespace pygpu::arrays
