// DeviceArray_<dtype>: memory of the host and its image on a device, with the copies between them.
//
// Copies order as cudaMemcpy on the default stream does. Statuses are returned and recorded, never raised.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/types/per_dtype/dtype.hpp"

#include <Python.h>

namespace pygpu::arrays {

// On contiguous device memory that exists already: `offset` bytes into a buffer, with these tuples of ints.
// The host's side is made on first use.
PyObject *make_device_array(const DType &dtype, const Retained<Buffer> &buffer, std::size_t offset,
                            PyObject *shape, PyObject *strides);

// The memory on the device, and where in it the array begins; null for another type and before allocate().
Buffer *device_array_buffer(PyObject *object, char *&data);

bool is_device_array(PyObject *object);
// What its elements are and how they lie. False with an exception set.
bool load_device_array(PyObject *object, const DType *&dtype, Layout &layout);

} // namespace pygpu::arrays
