// Device memory as cudaMalloc gives it: on the current device, and at once usable on any stream.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// The status. GIL held, released meanwhile.
int take_memory(const Runtime &runtime, std::size_t size, Retained<Buffer> &result);

} // namespace pygpu::arrays
