// Code that the adaptors to older forms share.
#pragma once

#include "runtime/api.hpp"

#include <cstddef>
#include <optional>

namespace pygpu {

// The value that the older form takes instead of one of another type, or none if it can't express that. For a
// memory location it is a device's number, or -1 (cudaCpuDeviceId, hipCpuDeviceId) for the host.
template <class Older, class Location> std::optional<Older> older_value(const Location &location) {
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

// Advice on memory, by an older form that takes a device's number. Some advice ignores the location.
template <class Older, class Pointer, class Advice, class Location>
auto advise(const Api &api, const Older &older, Pointer pointer, std::size_t count, Advice advice,
            const Location &location) {
    constexpr int set_read_mostly = 1, unset_read_mostly = 2, unset_preferred_location = 4;
    const int code = static_cast<int>(advice);
    const bool ignored =
        code == set_read_mostly || code == unset_read_mostly || code == unset_preferred_location;
    const std::optional<int> device = ignored ? 0 : older_value<int>(location);
    using Status = decltype(older(pointer, count, advice, 0));
    return device ? older(pointer, count, advice, *device) : static_cast<Status>(api.statuses.not_supported);
}

// The update of an executable graph, by an older form that has separate outputs for the members of today's
// struct.
template <class Older, class Exec, class Graph, class Result>
auto update_exec(const Older &older, Exec exec, Graph graph, Result *result) {
    *result = {};
    return older(exec, graph, &result->errorNode, &result->result);
}

} // namespace pygpu
