// What kernels queue on their device: grids, copies and sets (CUDA C++ Programming Guide, "CUDA Dynamic
// Parallelism"). It runs once the kernel's own grid is done, which the guide allows, one after another in the
// order of the launches, so that streams and events of kernels need nothing more.
#pragma once

#include "ptx/read/program.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace pygpu::host::ptx {

struct ChildWork {
    enum ChildKind : char { grid, copy, set };
    ChildKind kind = grid;
    bool last = false; // after all else that the grid queues: cudaStreamTailLaunch
    // A grid
    const Function *entry = nullptr;
    std::uint32_t blocks[3] = {}, threads[3] = {}, shared = 0;
    std::vector<char> parameters{};
    // A copy, or a set of bytes
    std::uint64_t to = 0, from = 0, size = 0;
    std::uint8_t value = 0;
};

// What the threads of one grid queue.
class Children {
public:
    // The kernel writes the parameters of a grid into a buffer, and then launches it.
    void prepare(std::uint64_t buffer, ChildWork work) {
        const std::lock_guard lock(mutex_);
        prepared_[buffer] = std::move(work);
    }
    // False where nothing was prepared.
    bool take_prepared(std::uint64_t buffer, ChildWork &work) {
        const std::lock_guard lock(mutex_);
        auto node = prepared_.extract(buffer);
        if (node) work = std::move(node.mapped());
        return !node.empty();
    }
    void queue(ChildWork work) {
        const std::lock_guard lock(mutex_);
        queued_.push_back(std::move(work));
    }
    // All that was queued, in the order in which it runs.
    std::vector<ChildWork> take() {
        const std::lock_guard lock(mutex_);
        // Not the one of std::ranges, which clang 14 can't compile with this library.
        std::stable_partition(queued_.begin(), queued_.end(), [](const ChildWork &one) { return !one.last; });
        return std::exchange(queued_, {});
    }

    // The last error of each thread.
    void set_error(std::uint64_t thread, int error) {
        const std::lock_guard lock(mutex_);
        errors_[thread] = error;
    }
    int error(std::uint64_t thread, bool forget) {
        const std::lock_guard lock(mutex_);
        const auto entry = errors_.find(thread);
        if (entry == errors_.end()) return 0;
        const int error = entry->second;
        if (forget) errors_.erase(entry);
        return error;
    }

private:
    std::mutex mutex_;
    std::map<std::uint64_t, ChildWork> prepared_;
    std::vector<ChildWork> queued_;
    std::map<std::uint64_t, int> errors_;
};

} // namespace pygpu::host::ptx
