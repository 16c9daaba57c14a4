// The kinds of memory, and how each is freed.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

enum class MemoryKind : unsigned char {
    pool,     // a device's memory from PyGPU's pool, or from the user's pool `owner`: freed in stream order
    plain,    // a device's memory without a pool, or allocated in a capture: freeing waits for the device
    pinned,   // page-locked memory of the host
    managed,  // managed memory, which host and devices share
    resource, // from a user's object with allocate() and deallocate(), as RMM has
    foreign,  // owned by the Python object `owner`
    lent,     // another library's memory, which is given back after all uses
};

// What the count of work on the home stream starts with: the allocation and the loan are such work.
inline bool first_work(MemoryKind kind) { return kind == MemoryKind::pool || kind == MemoryKind::lent; }

// Frees memory that nothing uses any more, for example because its device is idle.
int free_idle(const Runtime &runtime, Scope &scope, MemoryKind kind, void *pointer);

} // namespace pygpu::arrays
