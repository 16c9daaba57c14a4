// How much of the machine this process may use, by its affinity, its control groups and the user's settings.
#pragma once

#include <atomic>
#include <cstddef>

namespace pygpu::arrays {

// At least 1. Determined once.
int usable_processors();

// The number of threads for a large copy, with the caller's thread. 0 leaves it to the table (copy_path.hpp).
// PYGPU_COPY_THREADS and tests set it.
std::atomic<int> &threads_asked_for();

// Bytes of memory that can be filled now: the least of what the machine and each control group of the process
// have left.
std::size_t available_memory();

} // namespace pygpu::arrays
