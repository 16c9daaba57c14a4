// Page-locked memory whose address a call of C's took: by PyGPU's raw functions, as an int or as the array.
//
// What such a call queued is not known here, so the memory goes back to the runtime when it is let go of,
// which waits for the devices, and not to the store (pinned.hpp).
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// From now on calls that take an address within the buffer expose it. GIL held.
void watch_address(Buffer &buffer);
void forget_address(const Buffer &buffer);

} // namespace pygpu::arrays
