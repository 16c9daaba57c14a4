// The types of page-locked and managed memory (HostMemory), and of page-locking a user's own memory
// (register).
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>

namespace pygpu::arrays {

PyTypeObject *host_memory_type(); // null with an exception set
PyTypeObject *registration_type();

// The address of the memory, too. Null for another type; borrowed.
Buffer *host_memory_buffer(PyObject *object, char *&begin);
PyObject *make_host_memory(const Retained<Buffer> &buffer);

} // namespace pygpu::arrays
