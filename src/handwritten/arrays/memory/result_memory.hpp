// The Python type of the memory for large results of get() (huge_pages.hpp).
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu::arrays {

// A writable buffer of bytes with undefined contents. Null with MemoryError set.
PyObject *make_result_memory(std::size_t size);

PyTypeObject *result_memory_type(); // null with an exception set

} // namespace pygpu::arrays
