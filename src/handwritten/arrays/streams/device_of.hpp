// The device that a stream belongs to.
#pragma once

#include "arrays/base/runtime.hpp"

namespace pygpu::arrays {

inline constexpr int any_device = -1; // each has one: a default stream; or nobody knows

// The device of a stream that came as an address; any_device for the default streams, and where it can't be
// told. Runtimes that have no function for it are probed with an event. Asks nobody where there is one
// device. With the GIL, which may be given away.
int device_of(const Runtime &runtime, Stream stream);

} // namespace pygpu::arrays
