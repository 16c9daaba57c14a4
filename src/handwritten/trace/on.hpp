// Whether calls are traced: recorded, kept with their data for a replay, or waited for so that faults are
// located.
#pragma once

#include <atomic>

namespace pygpu::trace {

inline constexpr unsigned recording = 1, locating = 2, keeping = 4;
extern std::atomic<unsigned> active;

// One test on the path of every call.
inline bool is_on() { return active.load(std::memory_order_relaxed); }
inline bool is_keeping() { return active.load(std::memory_order_relaxed) & keeping; }
// What is kept has to have arrived, so that is waited for, too.
inline bool is_locating() { return active.load(std::memory_order_relaxed) & (locating | keeping); }

} // namespace pygpu::trace
