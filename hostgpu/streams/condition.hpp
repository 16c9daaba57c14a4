// Conditions: the values that conditional nodes of graphs test, and that kernels set.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace pygpu::host {

struct Condition {
    // Set when a graph that has the condition starts, if `assigned` is true.
    const unsigned first;
    const bool assigned;
    const std::uint64_t handle;
    bool used = false; // by a conditional node; graphs_mutex() guards it
    std::atomic<unsigned> value{0};

    Condition(unsigned first, bool assigned);
    ~Condition();
    Condition(const Condition &) = delete;
    Condition &operator=(const Condition &) = delete;
};

std::shared_ptr<Condition> make_condition(unsigned first, bool assigned);

// Null for what is no handle of a condition.
std::shared_ptr<Condition> condition_of(std::uint64_t handle);

} // namespace pygpu::host
