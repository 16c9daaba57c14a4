// Taking and freeing the memory of graphs: the manuals of cudaGraphAddMemAllocNode and
// cudaGraphAddMemFreeNode.
#include "memory/graph_memory.hpp"

#include "base/call.hpp"
#include "memory/side_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace pygpu::host {
namespace {

struct Entry {
    std::weak_ptr<GraphMemory> memory;
};

SideTable<Entry> &entries() {
    static auto *table = new SideTable<Entry>;
    return *table;
}

std::mutex &states() {
    static auto *mutex = new std::mutex;
    return *mutex;
}

// Both ends, as freed memory of other kinds: old values aren't taken for new ones.
void wipe(const Allocation &memory) {
    const std::size_t end = std::min<std::size_t>(memory.size, 4096);
    std::memset(memory.base, freed_pattern, end);
    std::memset(memory.base + memory.size - end, freed_pattern, end);
}

} // namespace

GraphMemory::GraphMemory(const AllocationNode &node, const void *graph, Memory memory)
    : node_(node), graph_(graph), memory_(std::move(memory)) {
    if (node.count) accesses_.assign(node.accesses, node.accesses + node.count);
    node_.accesses = accesses_.empty() ? nullptr : accesses_.data();
    node_.address = memory_->base;
}

Status GraphMemory::make(const AllocationNode &node, const void *graph, std::shared_ptr<GraphMemory> &made) {
    Memory memory;
    const Status status =
        allocate(MemoryKind::device, node.pool.location.id, node.size, 0, memory, Owner::graph, Pages::own);
    if (status != Status::success) return status;
    made = std::shared_ptr<GraphMemory>(new GraphMemory(node, graph, memory));
    entries().set(*memory, std::make_shared<Entry>(Entry{made}));
    return Status::success;
}

GraphMemory::~GraphMemory() { forget(memory_); }

int GraphMemory::access(int device) const {
    const auto named =
        std::ranges::find(accesses_, device, [](const Access &one) { return one.location.id; });
    return named == accesses_.end() ? 0 : static_cast<int>(named->flags);
}

bool GraphMemory::note_free_node(const void *graph) {
    std::lock_guard lock(states());
    const bool owns = freed_by_ == graph_ || graph == graph_ || on_hip();
    if (freed_by_ && (owns || freed_by_ == graph)) return false;
    freed_by_ = graph;
    return true;
}

Status GraphMemory::take(bool again, bool &was_taken) {
    Pool &pool = graph_pool(memory_->device); // may throw, so it comes first
    std::lock_guard lock(states());
    was_taken = taken_;
    if (taken_ && !again) return Status::invalid_value;
    if (!unreleased_) {
        if (!reserve_bytes(memory_->device, memory_->size)) return Status::memory_allocation;
        pool.take(memory_->size);
        pool.took();
        self_ = shared_from_this();
    }
    taken_ = true;
    ++unreleased_;
    return Status::success;
}

bool GraphMemory::free() {
    std::lock_guard lock(states());
    return std::exchange(taken_, false);
}

void GraphMemory::undo_free() {
    std::lock_guard lock(states());
    taken_ = true;
}

bool GraphMemory::taken() const {
    std::lock_guard lock(states());
    return taken_;
}

bool GraphMemory::held() const {
    std::lock_guard lock(states());
    return unreleased_ > 0;
}

// Lock held. What it returns is released without the lock.
std::shared_ptr<GraphMemory> GraphMemory::give_back() {
    wipe(*memory_);
    return_bytes(memory_->device, memory_->size);
    graph_pool(memory_->device).give(memory_->size);
    return std::move(self_);
}

void GraphMemory::release() {
    std::shared_ptr<GraphMemory> self;
    std::lock_guard lock(states());
    if (unreleased_ && !--unreleased_) self = give_back();
}

void GraphMemory::end() {
    std::shared_ptr<GraphMemory> self;
    std::lock_guard lock(states());
    taken_ = false;
    if (std::exchange(unreleased_, 0)) self = give_back();
}

std::shared_ptr<GraphMemory> graph_memory_of(const Allocation &memory) {
    if (memory.owner != Owner::graph) return nullptr;
    const auto entry = entries().find(memory);
    return entry ? entry->memory.lock() : nullptr;
}

bool is_taken(const Allocation &memory) {
    const auto of_graph = graph_memory_of(memory);
    return !of_graph || of_graph->taken();
}

bool is_held(const Allocation &memory) {
    const auto of_graph = graph_memory_of(memory);
    return !of_graph || of_graph->held();
}

Pool &graph_pool(int device) {
    static auto *pools = [] {
        auto *all = new std::array<std::shared_ptr<Pool>, 64>; // as many devices as there can be
        for (int number = 0; number < 64; ++number)
            (*all)[static_cast<std::size_t>(number)] = std::make_shared<Pool>(number, true);
        return all;
    }();
    return *(*pools)[static_cast<std::size_t>(device)];
}

} // namespace pygpu::host
