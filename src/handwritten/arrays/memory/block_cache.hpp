// Cache of small freed blocks of PyGPU's pool, for the next array of the same size on the same stream.
//
// It takes only memory that no stream but its home stream has used, and no code outside of PyGPU. The next
// user of a block is on that stream, too. So its work comes after what is queued there, as with memory from
// the pool. The streams are the default stream and those that a PyGPU.Stream owns: it takes its blocks out
// when it ends, so that no later stream with the same handle gets them.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/streams/argument.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

struct CachedBlock {
    void *pointer;
    std::size_t size;
    std::uint64_t number; // of all that were cached on the device
};

bool has_cached_blocks(); // on any device

// Whether blocks of this stream are cached on the device. `owner` is the stream's object, null for the
// default stream.
bool caches_blocks(const Runtime &runtime, Stream stream, PyObject *owner, int device);

// A block of exactly this size; null if there is none. `owner` is as above. Makes no API call.
void *take_block(int device, PyObject *owner, std::size_t size);

// Puts a block into the cache; false if it was not taken. `evicted` is a block of the same stream that had to
// make room, which the caller frees, or one with a null pointer. With the GIL.
bool cache_block(int device, PyObject *owner, void *pointer, std::size_t size, CachedBlock &evicted);

// The number of the block that was cached last on a device. Numbers only grow.
std::uint64_t newest_block(int device);

// Bytes in cached blocks of a device up to the number `newest`.
std::size_t cached_bytes(int device, std::uint64_t newest);

// Sets the most bytes that are cached for one stream of a device. The default and the maximum are 32 MiB. All
// streams together have four times as much.
void limit_cache(int device, std::size_t bytes);

// Returns all cached blocks of the scope's device to the pool: those of the default stream in its order, the
// others when PyGPU next waits for the device, as their streams may end at any time. Without the GIL, too.
int free_cached_blocks(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
