// What of the machine this process may use: by its affinity, its control groups, and what a user set.
#pragma once

#include <atomic>
#include <cstddef>

namespace pygpu::arrays {

// At least 1. Found once.
int usable_processors();

// Threads that a large copy takes, the caller's among them; 0: as its way says. PYGPU_COPY_THREADS sets it,
// and tests do.
std::atomic<int> &threads_asked_for();

// Bytes of memory that can be filled now: of the machine, and of each control group around the process.
std::size_t available_memory();

} // namespace pygpu::arrays
