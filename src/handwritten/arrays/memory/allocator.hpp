// Allocators of users: a callable, CuPy's pools, RMM's resources.
#pragma once

#include "arrays/memory/buffer.hpp"
#include "convert/memory.hpp"

namespace pygpu::arrays {

// What set_allocator() named; null for PyGPU's own pool. Borrowed.
PyObject *default_allocator();

// None or null takes PyGPU's own pool again. False with TypeError set.
bool set_default_allocator(PyObject *allocator);

// Whether an object can allocate; TypeError otherwise.
bool check_allocator(PyObject *allocator, const char *call);

// Memory on the current device from `allocator`: called with the size where it is callable, else by its
// malloc(size) (CuPy) or allocate(size) and deallocate(address, size) (RMM).
Retained<Buffer> allocate_with(const Runtime &runtime, const char *call, PyObject *allocator,
                               std::size_t size, const StreamArgument &stream);

// Memory that PyGPU doesn't own.
struct Foreign {
    void *pointer = nullptr;
    std::size_t size = Memory::unknown; // bytes from there on, where the object has a size
    int device = 0;                     // whose memory it is; the current one where it is no device's alone
};

// What an object stands for: an int, int(object), or its `ptr`. False with TypeError or GPUError set.
bool load_foreign(const Runtime &runtime, PyObject *object, const char *call, const char *what,
                  Foreign &foreign);

} // namespace pygpu::arrays
