// What is to be done once the host has waited for the work of a stream.
#pragma once

namespace pygpu::arrays {

// Releases what queued copies kept: set by in_flight.cpp when it keeps the first.
// Guarded by the GIL.
inline void (*after_wait)() = nullptr;

// With the GIL, and no exception set.
inline void has_waited() {
    if (after_wait) after_wait();
}

} // namespace pygpu::arrays
