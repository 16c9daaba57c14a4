// Work to do after the host has waited for a stream.
#pragma once

namespace pygpu::arrays {

// Releases the objects of finished copies. in_flight.cpp sets it when it first keeps objects for a copy.
// Guarded by the GIL.
inline void (*after_wait)() = nullptr;

// Call it with the GIL, and without an exception set.
inline void has_waited() {
    if (after_wait) after_wait();
}

} // namespace pygpu::arrays
