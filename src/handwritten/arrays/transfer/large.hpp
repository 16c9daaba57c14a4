// Large copies between a device and ordinary memory of the host, by several threads.
//
// The runtimes bring ordinary memory through page-locked pieces with one thread, which is slower than the
// bus. Here each of some threads brings its share through two pieces of its own: while one is on the bus, it
// copies the other.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <atomic>
#include <cstddef>

namespace pygpu::arrays {

// Copies as cudaMemcpy does: in the order of the default stream, done when it returns. GIL released.
int copy_and_wait(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
                  Direction direction);

// From how many bytes on threads are worth it, and how many there are at most, this one among them.
struct LargeCopies {
    std::atomic<std::size_t> from{std::size_t{16} << 20};
    std::atomic<int> threads{0}; // 0: at most 8, and half of what the processor runs at once; none on the
                                 // host runtime, which has its own
};
LargeCopies &large_copies(); // for tests and measurements

} // namespace pygpu::arrays
