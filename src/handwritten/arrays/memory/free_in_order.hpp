// The end of a piece of memory: freed in the order of all that used it, or deferred.
//
// What happens once nobody holds it; the first line that fits decides:
//
//     ended by a fork or a reset              forgotten
//     small, used on the default stream only  cached (block_cache.hpp)
//     inside a callback                       postponed to the next ordinary call (python/later.hpp)
//     at exit, while a callback runs          dropped (python/finaliser.hpp)
//     owned by a Python object                that object is released
//     lent by another library                 given back, after a wait for what PyGPU queued and is under way
//     from an object with deallocate()        deallocated, after a wait if others used it or it escaped
//     from the pool                           freed in stream order, after all its uses
//     page-locked, its address not escaped    cached (pinned.hpp)
//     any other                               freed once the device has done its work
//
// Deferred (deferred_free.hpp) is what should be freed but can't be at that moment: pool memory whose address
// escaped, whose stream is being captured, or of which a using stream was destroyed; and any whose device
// can't be made current, or whose free fails.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// The common end of small memory, without an API call: it is cached for the next array of its size. False
// where that can't be, and release() is due.
bool give_to_cache(const Runtime &runtime, Buffer::Kind kind, void *pointer, std::size_t size, int device,
                   const Order &order);

// Frees memory in its order, or defers that. For finalisers: GIL held, released meanwhile; inside a callback
// it is postponed.
void release(const Runtime &runtime, Buffer::Kind kind, void *pointer, std::size_t size, int device,
             const DeviceGeneration &generation, Order &&order);

// Frees memory that nothing uses any more, on an idle device, say.
int free_idle(const Runtime &runtime, Scope &scope, Buffer::Kind kind, void *pointer);

} // namespace pygpu::arrays
