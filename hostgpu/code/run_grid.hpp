// Running a kernel on the thread of its stream.
#pragma once

#include "ptx/machine/machine.hpp"

namespace pygpu::host {

// Sets the size of each thread's stack: cudaLimitStackSize, for recursion, plus the local memory of all
// functions that the kernel may call. With the checker's gaps it takes more room. False where the size
// overflows.
bool stack_of(ptx::LaunchSetup &launch, std::size_t threads, int device);

// Runs a grid, and all that its threads queue.
void run_grid(const ptx::LaunchSetup &setup, int device);

} // namespace pygpu::host
