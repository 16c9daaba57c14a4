// The host's ordinary memory for large results: that of freed ones is used again.
//
// A fresh page costs a fault and is filled with zeros first: on fresh memory a copy runs at a third of its
// speed (3.5 of 11 GB/s on a virtual machine of two processors). Huge pages are asked for, and need fewer
// faults.
#pragma once

#include <Python.h>

#include <cstddef>

namespace pygpu::arrays {

// From here on get() takes its results from here: malloc() itself reuses smaller pieces.
inline constexpr std::size_t least_result = std::size_t{32} << 20;

// A writable buffer of bytes, which are not set. Null with MemoryError set.
PyObject *make_result_memory(std::size_t size);

PyTypeObject *result_memory_type(); // null with an exception set

// Gives what is kept of freed results back to the system.
void free_kept_results();

} // namespace pygpu::arrays
