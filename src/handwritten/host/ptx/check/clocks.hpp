// Which accesses of a block's threads are ordered, by what threads wait for each other with.
//
// Each thread counts the points at which it lets others go on. An access is before another thread's when that
// thread has heard of a later count (vector clocks: Lamport 1978, Mattern 1989).
#pragma once

#include <cstdint>
#include <vector>

namespace pygpu::host::ptx::check {

class Clocks {
public:
    using Counts = std::vector<std::uint32_t>; // by thread; empty: nothing was heard

    explicit Clocks(std::uint32_t threads);
    void restart();

    std::uint32_t now(std::uint32_t thread) const { return own_[thread]; }
    // Whether what `other` did at its count `at` is before what `thread` does now.
    bool ordered(std::uint32_t thread, std::uint32_t other, std::uint32_t at) const;
    // All threads have met.
    void meet();
    // Lanes of a warp leave word of all that they know, and go on; lanes hear it.
    void tell(std::uint32_t warp, std::uint32_t lanes, Counts &to);
    void hear(std::uint32_t warp, std::uint32_t lanes, const Counts &from);

private:
    std::uint32_t width_; // threads, in whole warps
    Counts own_;
    Counts met_;              // what everyone knows
    Counts near_;             // what each thread knows of the lanes of its warp
    std::vector<Counts> far_; // what a warp knows of other warps
};

} // namespace pygpu::host::ptx::check
