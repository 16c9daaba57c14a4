// Cache of page-locked memory: freeing it would wait for the devices, and allocating it anew is slow.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Page-locked memory of at least this size, cached or new. Out of memory frees what is cached and tries
// again.
int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);

// Caches memory of take_pinned(); false where the cache is full, and it has to be freed.
bool cache_pinned(void *pointer, std::size_t size, int device);

// Frees what is cached of the scope's device.
int free_cached_pinned(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
