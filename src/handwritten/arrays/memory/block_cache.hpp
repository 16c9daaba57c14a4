// Cache of small freed blocks of PyGPU's pool, for the next array of the same size.
//
// Only memory in the order of the default stream that no other stream and no other code used: its next user
// on that stream comes after what is queued there, as if the pool had given it.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>

namespace pygpu::arrays {

bool has_cached_blocks(); // on any device

// A block of exactly this size on a device; null where there is none. Makes no API call.
void *take_block(int device, std::size_t size);

// Whether a block was taken into the cache. `evicted` is the one that it replaced, to be freed, or null.
bool cache_block(int device, void *pointer, std::size_t size, void *&evicted, std::size_t &evicted_size);

// Bytes cached on a device, each block rounded up to a multiple of `granule`.
std::size_t cached_bytes(int device, std::size_t granule);

// How many bytes are cached at most on a device, 16 MiB unless set.
void limit_cache(int device, std::size_t bytes);

// Gives all blocks cached on the scope's device back to the pool, in the order of the default stream.
int free_cached_blocks(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
