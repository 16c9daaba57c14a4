// The Python type of the memory that large results of get() lie in (huge_pages.hpp).
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu::arrays {

// A writable buffer of bytes, which are not set. Null with MemoryError set.
PyObject *make_result_memory(std::size_t size);

PyTypeObject *result_memory_type(); // null with an exception set

} // namespace pygpu::arrays
