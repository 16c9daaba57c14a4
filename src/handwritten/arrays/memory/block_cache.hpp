// Cache of small freed blocks of PyGPU's pool, for the next array of the same size.
//
// It takes only memory that no stream but the default stream has used, and no code outside of PyGPU. The next
// user of a block is on the default stream, too. So its work comes after what is queued there, as with memory
// from the pool.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

bool has_cached_blocks(); // on any device

// A block of exactly this size on a device; null if there is none. Makes no API call.
void *take_block(int device, std::size_t size);

// Puts a block into the cache; false if it was not taken. `evicted` is a block that had to make room, which
// the caller frees, or null.
bool cache_block(int device, void *pointer, std::size_t size, void *&evicted, std::size_t &evicted_size);

// The number of the block that was cached last on a device. Numbers only grow.
std::uint64_t newest_block(int device);

// Bytes in cached blocks of a device up to the number `newest`.
std::size_t cached_bytes(int device, std::uint64_t newest);

// Sets the most bytes that are cached on a device. The default and the maximum are 32 MiB.
void limit_cache(int device, std::size_t bytes);

// Returns all cached blocks of the scope's device to the pool, in the order of the default stream.
int free_cached_blocks(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
