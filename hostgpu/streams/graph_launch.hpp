// Launches of executable graphs, and pieces of work that each launch prepares: of events and of graphs'
// memory.
#pragma once

#include "streams/plan.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace pygpu::host {

// What the nodes of one launch do that differs from launch to launch, in their order.
struct Prepared {
    std::vector<std::function<void()>> acts;
    std::size_t next = 0;
    std::vector<std::function<void()>> recordings{}; // others may wait for them

    // Not all of it may have run.
    ~Prepared() {
        for (const auto &reach : recordings) reach();
    }
};

// A piece that does what its launch has prepared for it.
std::unique_ptr<Work> make_prepared(Task task, std::shared_ptr<const NodeParameters> parameters);

// The flag of an instantiation by which each launch first frees what former ones have allocated.
constexpr unsigned long long auto_free_on_launch = 1;

// Queues a launch on a stream.
Status launch(Executable &executable, Stream &stream);

} // namespace pygpu::host
