// The device that a stream belongs to.
#pragma once

#include "arrays/base/runtime.hpp"

namespace pygpu::arrays {

inline constexpr int any_device = -1; // each has one: a default stream; or unknown

// The device of a stream that came as an address; any_device for the default streams, and where it is
// unknown. Runtimes that have no function for it are probed with an event. Makes no API call where there is
// one device. With the GIL, which may be released.
int device_of(const Runtime &runtime, Stream stream);

} // namespace pygpu::arrays
