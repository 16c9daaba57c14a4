// The end of a piece of memory: freed in the order of all that used it, or put aside.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// Frees memory that nobody holds any more, in its order. For finalisers: GIL held, and given away meanwhile;
// inside a callback it is put off.
void release(const Runtime &runtime, Buffer::Kind kind, void *pointer, std::size_t size, int device,
             const DeviceGeneration &generation, Order &&order);

// Frees memory that nothing uses any more, on an idle device, say.
int free_idle(const Runtime &runtime, Buffer::Kind kind, void *pointer);

} // namespace pygpu::arrays
