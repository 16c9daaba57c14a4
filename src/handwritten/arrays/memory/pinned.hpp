// Cache of page-locked memory, since freeing it would wait for the devices, and new memory is slow to get.
//
// Cached memory and staging buffers together have a limit, by default 64 MiB. Memory that users hold does not
// count, nor does the 1 MiB of each device for small uploads (upload_ring.hpp).
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "runtime/generation.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Page-locked memory of at least this size, from the cache or new. If memory runs out, frees the cached
// memory and tries again.
int take_pinned(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);

// Puts memory of take_pinned() into the cache. False if the cache is full; then the caller has to free it.
bool cache_pinned(void *pointer, std::size_t size, int device);

// Takes page-locked memory for a staging buffer; "out of memory" if that would exceed the limit.
int take_staging(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);
// Gives a staging buffer back; false if the caller has to free it. `generation` is the device's generation
// when the buffer was taken.
bool give_staging(void *pointer, std::size_t size, int device, const DeviceGeneration &generation);

std::size_t pinned_limit();
// Sets the limit, and frees the cached memory if it exceeds the new limit. The scope's device may be another
// one afterwards.
int set_pinned_limit(const Runtime &runtime, Scope &scope, std::size_t bytes);

// Frees the cached memory of the scope's device.
int free_cached_pinned(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
