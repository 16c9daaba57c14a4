// Page-locked memory that was let go of, kept for the next one: freeing it would wait for the devices, and
// taking it anew is slow.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Page-locked memory of at least this size, kept or new. Out of memory gives what is kept back and tries
// again.
int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);

// Keeps memory of take_pinned(); false where there is enough already, and it has to be freed.
bool cache_pinned(void *pointer, std::size_t size, int device);

// Frees what is kept of the scope's device.
int free_cached_pinned(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
