// The end of a piece of memory: freed in the order of all that used it, or put aside.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// The common end of small memory, which asks nobody: it is put by for the next array of its size. False where
// that can't be, and release() is due.
bool give_to_cache(const Runtime &runtime, Buffer::Kind kind, void *pointer, std::size_t size, int device,
                   const Order &order);

// Frees memory that nobody holds any more, in its order. For finalisers: GIL held, and given away meanwhile;
// inside a callback it is put off.
void release(const Runtime &runtime, Buffer::Kind kind, void *pointer, std::size_t size, int device,
             const DeviceGeneration &generation, Order &&order);

// Frees memory that nothing uses any more, on an idle device, say.
int free_idle(const Runtime &runtime, Buffer::Kind kind, void *pointer);

} // namespace pygpu::arrays
