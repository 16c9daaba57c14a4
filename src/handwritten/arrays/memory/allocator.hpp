// Users' allocators: a callable, CuPy's pools, RMM's resources.
#pragma once

#include "arrays/memory/buffer.hpp"
#include "convert/memory.hpp"

namespace pygpu::arrays {

// The allocator of set_allocator(); null for PyGPU's own pool, from which also that allocator itself takes
// memory. Borrowed.
PyObject *default_allocator();

// None or null chooses PyGPU's own pool again. False with TypeError set.
bool set_default_allocator(PyObject *allocator);

// Whether an object can allocate; TypeError otherwise.
bool check_allocator(PyObject *allocator, const char *call);

// A pool of the runtime as an allocator: PyGPU.MemoryPool, which says (address, device) by `_c_pool_`.
struct UserPool {
    Pool pool = nullptr;
    int device = 0;
};

// False if the allocator is no such pool, or with an exception set.
bool load_pool(PyObject *allocator, UserPool &pool);

// Takes memory on the current device from `allocator`. A callable is called with the size. Other allocators
// have malloc(size), as in CuPy, or allocate(size) and deallocate(address, size), as in RMM.
Retained<Buffer> allocate_with(const Runtime &runtime, const char *call, PyObject *allocator,
                               std::size_t size, const StreamArgument &stream);

// Memory that a user gives.
struct Foreign {
    void *pointer = nullptr;
    std::size_t size = Memory::unknown; // bytes from `pointer` on, if the object has a size
    int device = 0;                     // the memory's device; the current one if the host has it, too
    Reference owner;                    // the object; empty for a bare address, which owns nothing
    Retained<Buffer> below;             // PyGPU's buffer that the object stands for, itself or by its `ptr`
};

// The device whose memory this is; the current device if it is no device's memory. GIL held, and released
// meanwhile.
int owner_of(const Runtime &runtime, const void *pointer);

// The memory that an object stands for, by an int, int(object) or its `ptr`. False with TypeError or GPUError
// set, or with ValueError if it was freed.
bool load_foreign(const Runtime &runtime, PyObject *object, const char *call, const char *what,
                  Foreign &foreign);

// A buffer on such memory. It keeps the owner, and ends with the buffer below at the latest.
Retained<Buffer> make_foreign(const Runtime &runtime, Buffer::Kind kind, Foreign &&foreign, void *begin,
                              std::size_t size, const StreamArgument &home);

} // namespace pygpu::arrays
