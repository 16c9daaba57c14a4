// Page-locked memory whose address escaped: a raw function took it, as an int or as the array.
//
// What such a call queued is not known here. So the memory is freed by the runtime when it is released, which
// waits for the devices, and is not cached (pinned.hpp).
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// From now on calls that take an address within the buffer let it escape. GIL held.
void watch_address(Buffer &buffer);
void forget_address(const Buffer &buffer);

} // namespace pygpu::arrays
