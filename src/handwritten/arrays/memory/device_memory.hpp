// DeviceMemory: a Buffer as a Python object, what `gpudata` of an array is.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>

namespace pygpu::arrays {

PyTypeObject *device_memory_type(); // null with an exception set
PyObject *make_device_memory(const Held<Buffer> &buffer);
Buffer *device_memory_buffer(PyObject *object); // null for another type; borrowed

} // namespace pygpu::arrays
