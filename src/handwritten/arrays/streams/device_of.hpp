// The device that a stream belongs to.
#pragma once

#include "arrays/base/runtime.hpp"

#include <cstdint>

namespace pygpu::arrays {

inline constexpr int any_device = -1; // for a default stream, which every device has, or an unknown device

// The device of a stream that is given by its address; any_device for the default streams, for one that is
// being captured, and if the device is unknown. If the runtime has no function for this, it tries to record
// an event on each device. Makes no API call if there is only one device. With the GIL, which may be
// released.
int device_of(const Runtime &runtime, Stream stream);

// Whether a handle means a default stream of the device that is current: null, the legacy and the thread's
// own.
inline bool is_default_stream(Stream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }

} // namespace pygpu::arrays
