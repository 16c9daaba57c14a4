// DeviceMemory: a Buffer from some offset on as a Python object. The `gpudata` of an array is one.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>

namespace pygpu::arrays {

PyTypeObject *device_memory_type(); // null with an exception set
PyObject *make_device_memory(const Retained<Buffer> &buffer);
PyObject *make_device_memory(const Retained<Buffer> &buffer, char *begin); // begins anywhere in the buffer
Buffer *device_memory_buffer(PyObject *object, char *&begin);              // null for another type; borrowed

} // namespace pygpu::arrays
