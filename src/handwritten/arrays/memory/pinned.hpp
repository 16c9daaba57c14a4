// Cache of page-locked memory: freeing it would wait for the devices, and allocating it anew is slow.
//
// What is cached and what copies pass through is bounded together, by 64 MiB unless set. Memory that users
// hold does not count, nor the 1 MiB a device of small uploads (upload_ring.hpp).
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "runtime/generation.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Page-locked memory of at least this size, cached or new. Out of memory frees what is cached and tries
// again.
int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);

// Caches memory of take_pinned(); false where the cache is full, and it has to be freed.
bool cache_pinned(void *pointer, std::size_t size, int device);

// The same for a copy to pass through; out of memory at the limit.
int take_staging(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);
// Its end; false where it has to be freed. The generation is that of the device when it was taken.
bool give_staging(void *pointer, std::size_t size, int device, const DeviceGeneration &generation);

std::size_t pinned_limit();
// Frees what is cached where that is more than the new limit; the scope may be on another device then.
int set_pinned_limit(const Runtime &runtime, Scope &scope, std::size_t bytes);

// Frees what is cached of the scope's device.
int free_cached_pinned(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
