// Small pieces of PyGPU's pool that nobody holds any more, kept for the next array of the same size.
//
// Only memory in the order of the default stream that no other stream and no other code used: whoever takes
// it next on that stream comes after what is queued there, as if the pool had given it.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>

namespace pygpu::arrays {

bool has_cached_blocks(); // on any device

// A piece of exactly this size on a device; null where there is none. Asks nobody.
void *take_block(int device, std::size_t size);

// Whether a piece was taken into the cache. `evicted` is one that it came in place of, to be freed: null
// where there was room.
bool cache_block(int device, void *pointer, std::size_t size, void *&evicted, std::size_t &evicted_size);

// Bytes cached on a device, each piece rounded up to a multiple of `granule`.
std::size_t cached_bytes(int device, std::size_t granule);

// How many bytes are kept at most on a device, 16 MiB unless set.
void limit_cache(int device, std::size_t bytes);

// Gives all that is kept on the scope's device back to the pool, in the order of the default stream.
int free_cached_blocks(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
