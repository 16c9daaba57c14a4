// Memory of graphs' allocation nodes: its address is fixed, and its bytes count as used from a launch on
// until it is freed.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "memory/allocation.hpp"
#include "memory/pool.hpp"

#include <memory>
#include <vector>

namespace pygpu::host {

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
public:
    // `graph` is the handle of the graph whose node it is.
    static Status make(const AllocationNode &node, const void *graph, std::shared_ptr<GraphMemory> &made);
    ~GraphMemory();
    GraphMemory(const GraphMemory &) = delete;
    GraphMemory &operator=(const GraphMemory &) = delete;

    const AllocationNode &node() const { return node_; } // as it was asked for, with the address
    int access(int device) const;

    // A graph gets a node that frees it. False where that may not be: the graph that allocates it frees it
    // once, or other graphs do, each once.
    bool note_free_node(const void *graph);

    // These follow the order of the calls. A launch takes the memory: invalid_value where it is taken
    // already, or, with `again`, `was_taken`, and the former taking is yet to be released.
    Status take(bool again, bool &was_taken);
    bool free(); // false where it isn't taken
    void undo_free();
    bool taken() const;

    // These follow the order of the work: it is held until it was released once for each taking.
    void release();
    bool held() const;
    // The device is reset: nothing is taken any more.
    void end();

private:
    GraphMemory(const AllocationNode &node, const void *graph, Memory memory);
    std::shared_ptr<GraphMemory> give_back();

    AllocationNode node_;
    std::vector<Access> accesses_{};
    const void *const graph_;
    const Memory memory_;
    const void *freed_by_ = nullptr;
    bool taken_ = false;
    int unreleased_ = 0;
    std::shared_ptr<GraphMemory> self_{}; // while it is in use, since its graph may be gone
};

// Null for memory that no graph allocates.
std::shared_ptr<GraphMemory> graph_memory_of(const Allocation &memory);
// Whether memory is allocated: as far as the calls have come, or the work. All memory is but a graph's before
// its launch, and after its free: outside of that time it may not be accessed (CUDA C++ Programming Guide,
// "Graph Memory Nodes").
bool is_taken(const Allocation &memory);
bool is_held(const Allocation &memory);
inline std::shared_ptr<GraphMemory> graph_memory_at(const void *address) {
    const Memory memory = memory_beginning_at(address);
    return memory ? graph_memory_of(*memory) : nullptr;
}

// What the graphs of a device hold.
Pool &graph_pool(int device);

} // namespace pygpu::host
