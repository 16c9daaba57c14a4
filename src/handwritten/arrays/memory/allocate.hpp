// Allocating buffers.
//
//     auto buffer = allocate(runtime, "GPUArray()", size, stream); // null: GPUError is set
//     int status = try_allocate(runtime, size, stream, buffer);    // the status instead
#pragma once

#include "arrays/memory/buffer.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Allocates memory on the current device, from the pool if there is one. If the device is out of memory,
// trims the pool and tries once more. Call with the GIL held; it is released meanwhile. A size of 0 allocates
// nothing.
int try_allocate(const Runtime &runtime, std::size_t size, const StreamArgument &stream,
                 Retained<Buffer> &result);

// The same through the given allocator, or the one of set_allocator(). Raises GPUError, which is a
// MemoryError that says how much was requested, free and pooled.
Retained<Buffer> allocate(const Runtime &runtime, const char *call, std::size_t size,
                          const StreamArgument &stream, PyObject *allocator = nullptr);

// Raises GPUError for a status of try_allocate().
PyObject *raise_allocation(const Runtime &runtime, int status, const char *call, std::size_t size);

// Allocates page-locked or managed memory. The first returns the status, the second raises GPUError.
int try_allocate_host(const Runtime &runtime, std::size_t size, MemoryKind kind, Retained<Buffer> &result);
Retained<Buffer> allocate_host(const Runtime &runtime, const char *call, std::size_t size, MemoryKind kind);

} // namespace pygpu::arrays
