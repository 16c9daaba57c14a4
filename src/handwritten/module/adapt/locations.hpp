// Memory locations as device ordinals, as older forms and HIP's name them.
#pragma once

#include <optional>

namespace pygpu {

// A device's number, or -1 (cudaCpuDeviceId, hipCpuDeviceId) for the host; none for any other location.
template <class Location> std::optional<int> ordinal(const Location &location) {
    constexpr int device = 1, host = 2, cpu = -1; // …MemLocationTypeDevice, …Host
    switch (static_cast<int>(location.type)) {
    case device:
        return location.id;
    case host:
        return cpu;
    default:
        return std::nullopt;
    }
}

// Whether CUDA ignores the location of such advice, whatever it is.
template <class Advice> bool ignores_location(Advice advice) {
    constexpr int set_read_mostly = 1, unset_read_mostly = 2, unset_preferred_location = 4;
    const int code = static_cast<int>(advice);
    return code == set_read_mostly || code == unset_read_mostly || code == unset_preferred_location;
}

} // namespace pygpu
