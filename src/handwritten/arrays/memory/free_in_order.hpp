// The deallocation policy of memory: it is freed after all that used it, or deferred.
//
// What happens when nobody holds the memory any more. The first line that fits decides:
//
//     ended by a fork or a reset              forgotten
//     small, used on the default stream only  cached (block_cache.hpp)
//     inside a callback                       postponed to the next ordinary call (python/later.hpp)
//     at exit, while a callback runs          dropped (python/finaliser.hpp)
//     at exit, if it would wait for work      left to the end of the process
//     owned by a Python object                that object is released, after a wait if others used it
//     lent by another library                 given back, after a wait for what PyGPU queued and is under way
//     from an object with deallocate()        deallocated, after a wait if others used it or it escaped
//     from the pool                           freed in stream order, after all its uses
//     page-locked, its address not escaped    cached (pinned.hpp), after a wait for what PyGPU queued
//     any other                               freed once the device has done its work
//
// Memory that can't be freed at that moment is deferred (deferred_free.hpp). That is pool memory if its
// address has escaped, if its stream is being captured, or if a stream that used it was destroyed. And it is
// any memory if its device can't be made current, or if the free fails.
#pragma once

#include "arrays/memory/kind.hpp"
#include "arrays/memory/use_order.hpp"
#include "runtime/generation.hpp"

#include <cstddef>

namespace pygpu::arrays {

// The usual end of small memory, without an API call: it is cached for the next array of its size. False if
// that is not possible; then call release().
bool give_to_cache(const Runtime &runtime, MemoryKind kind, void *pointer, std::size_t size, int device,
                   const UseOrder &order);

// Frees memory in its order, or defers that. For finalisers: with the GIL, which is released meanwhile.
// Inside a callback it is postponed.
void release(const Runtime &runtime, MemoryKind kind, void *pointer, std::size_t size, int device,
             const DeviceGeneration &generation, UseOrder &&order);

} // namespace pygpu::arrays
