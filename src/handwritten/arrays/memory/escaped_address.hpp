// Page-locked and managed memory whose address has escaped, because a raw function took it as an int or as an
// array.
//
// PyGPU doesn't know what such a call has queued. So when the memory is released, it is not cached
// (pinned.hpp). It is freed after a wait for the device.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// From now on the buffer escapes when a call takes an address within it. GIL held.
void watch_address(Buffer &buffer);
void forget_address(const Buffer &buffer);

} // namespace pygpu::arrays
