// Nodes that allocate and free memory, and what a device's graphs hold.
#include "api/find.hpp"
#include "api/nodes.hpp"
#include "memory/graph_memory.hpp"
#include "streams/graph_launch.hpp"

#include <cstring>

namespace pygpu::host {
namespace {

// The manual of CUDA_MEM_ALLOC_NODE_PARAMS; hipGraphAddMemAllocNode() of ROCm/clr.
bool can_be_allocated(const AllocationNode &node) {
    constexpr unsigned pinned_allocations = 1, read_and_write = 3;
    if (!node.size || node.pool.type != pinned_allocations || node.pool.handle_types) return false;
    if (node.pool.location.type != on_device || !is_device(node.pool.location.id)) return false;
    if (node.count && !node.accesses) return false;
    for (std::size_t index = 0; index < node.count; ++index) {
        const Access &one = node.accesses[index];
        if (one.location.type != on_device || !is_device(one.location.id) || one.flags != read_and_write)
            return false;
    }
    return true;
}

} // namespace

Status submit_allocation(const std::shared_ptr<Stream> &stream, const AllocationNode &node, void **address) {
    CaptureState state;
    std::shared_ptr<GraphMemory> memory;
    Status status = capture_state(*stream, state);
    if (status == Status::success) status = GraphMemory::make(node, state.graph, memory);
    if (status != Status::success) return status;
    *address = memory->node().address;
    stream->submit(make_prepared(Task::allocation, parameters_of(MemoryUse{std::move(memory)})));
    return Status::success;
}

Status submit_release(const std::shared_ptr<Stream> &stream, const void *address) {
    CaptureState state;
    const Status status = capture_state(*stream, state);
    if (status != Status::success) return status;
    auto memory = graph_memory_at(address);
    if (!memory || !memory->note_free_node(state.graph)) return Status::invalid_value;
    stream->submit(make_prepared(Task::release, parameters_of(MemoryUse{std::move(memory)})));
    return Status::success;
}

namespace api {
namespace {

// Memory nodes can't be added to a child graph: the manual of cudaGraphChildGraphNodeGetGraph.
bool is_embedded(GraphTag *handle) {
    const auto graph = graphs().find(handle);
    std::lock_guard lock(graphs_mutex());
    return graph && graph->level && !graph->in_body;
}

} // namespace

Status GraphAddMemAllocNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            AllocationNode *allocation) {
    if (!allocation) return Status::invalid_value;
    if (!can_be_allocated(*allocation)) {
        if (on_hip()) allocation->address = nullptr;
        return Status::invalid_value;
    }
    if (is_embedded(graph)) return Status::not_supported;
    return add_work(node, graph, after, count, [&](const std::shared_ptr<Stream> &stream) {
        return submit_allocation(stream, *allocation, &allocation->address);
    });
}

Status GraphAddMemFreeNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                           void *address) {
    if (!address) return Status::invalid_value;
    if (is_embedded(graph)) return Status::not_supported;
    return add_work(node, graph, after, count,
                    [&](const std::shared_ptr<Stream> &stream) { return submit_release(stream, address); });
}

Status GraphMemAllocNodeGetParams(NodeTag *node, AllocationNode *allocation) {
    const auto use = asked<MemoryUse>(node, Task::allocation);
    if (!use || !allocation) return Status::invalid_value;
    *allocation = use->memory->node();
    return Status::success;
}

Status GraphMemFreeNodeGetParams(NodeTag *node, void *address) {
    const auto use = asked<MemoryUse>(node, Task::release);
    if (!use || !address) return Status::invalid_value;
    void *const freed = use->memory->node().address;
    std::memcpy(address, &freed, sizeof freed);
    return Status::success;
}

namespace {

// The numbers of the pools' attributes; all vendors number both alike.
constexpr int used_now = 0, used_high = 1, reserved_now = 2, reserved_high = 3;
constexpr int of_pools[] = {7, 8, 5, 6};

} // namespace

Status DeviceGetGraphMemAttribute(int device, int attribute, void *value) {
    if (!is_device(device)) return Status::invalid_device;
    if (!value || attribute < used_now || attribute > reserved_high) return Status::invalid_value;
    return graph_pool(device).get(of_pools[attribute], value);
}

Status DeviceSetGraphMemAttribute(int device, int attribute, void *value) {
    if (!is_device(device)) return Status::invalid_device;
    if (!value || (attribute != used_high && attribute != reserved_high)) return Status::invalid_value;
    return graph_pool(device).set(of_pools[attribute], value);
}

Status DeviceGraphMemTrim(int device) {
    if (!is_device(device)) return Status::invalid_device;
    graph_pool(device).trim(0);
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
