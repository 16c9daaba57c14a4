// Which accesses of a block's threads are ordered, because threads have waited for each other.
//
// Each thread counts the points at which it lets others continue. An access comes before another thread's
// access when that thread has acquired a later count (vector clocks: Lamport 1978, Mattern 1989).
#pragma once

#include <cstdint>
#include <vector>

namespace pygpu::host::ptx::check {

class Clocks {
public:
    using Counts = std::vector<std::uint32_t>; // by thread; empty: nothing was acquired

    explicit Clocks(std::uint32_t threads);
    void restart();

    std::uint32_t now(std::uint32_t thread) const { return own_[thread]; }
    // Whether what `other` did at its count `at` is before what `thread` does now.
    bool ordered(std::uint32_t thread, std::uint32_t other, std::uint32_t at) const;
    // All threads have synchronised.
    void join();
    // release(): lanes of a warp leave all counts that they know, and continue. acquire(): lanes take these
    // counts over.
    void release(std::uint32_t warp, std::uint32_t lanes, Counts &to);
    void acquire(std::uint32_t warp, std::uint32_t lanes, const Counts &from);

private:
    std::uint32_t width_; // threads, in whole warps
    Counts own_;
    Counts joined_;           // what everyone knows
    Counts near_;             // what each thread knows of the lanes of its warp
    std::vector<Counts> far_; // what a warp knows of other warps
};

} // namespace pygpu::host::ptx::check
