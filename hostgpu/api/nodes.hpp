// Adding nodes to a graph by hand: their work is submitted to a stream that captures into the graph.
#pragma once

#include "api/graphs.hpp"
#include "base/call.hpp"
#include "base/caught.hpp"
#include "base/types.hpp"
#include "code/kernels.hpp"
#include "code/launch.hpp"
#include "code/modules.hpp"
#include "device/device.hpp"
#include "streams/capture.hpp"
#include "streams/node_parameters.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace pygpu::host {

// Null, with a report, for what is no graph.
std::shared_ptr<Graph> find_graph(GraphTag *handle);

// False unless all are nodes of the graph, each named once.
bool find_nodes(const Graph &graph, NodeTag *const *handles, std::size_t count, Nodes &dependencies);

// Whether any edge's data is more than zeros.
bool has_ports(const GraphEdge *edges, std::size_t count);

// Bodies of conditional nodes and graphs with such nodes can't be copied. Lock held.
bool stays_where_it_is(const Graph &graph);

using GivenParameters = std::shared_ptr<const NodeParameters>;

// A node's parameters, as a node of that kind has them; null for other nodes.
template <class Is> std::shared_ptr<const Is> asked(NodeTag *handle, Task task) {
    const auto node = nodes().find(handle);
    if (!node || node->task != task) return nullptr;
    std::lock_guard lock(graphs_mutex());
    if (!node->graph || !node->work || !node->work->parameters) return nullptr;
    const auto *const is = std::get_if<Is>(&node->work->parameters->is);
    return is ? std::shared_ptr<const Is>(node->work->parameters, is) : nullptr;
}

// Work that allocates a graph's memory, or frees it, for a stream that captures.
Status submit_allocation(const std::shared_ptr<Stream> &stream, const AllocationNode &node, void **address);
Status submit_release(const std::shared_ptr<Stream> &stream, const void *address);

// Adds the node that body(stream) makes by submitting one piece of work. `given` says what it does, in the
// words of the call.
template <class Body>
Status add_work(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count, Body body,
                GivenParameters given = {}) {
    const auto to = find_graph(graph);
    Nodes dependencies;
    if (!node || !to || !find_nodes(*to, after, count, dependencies)) return Status::invalid_value;
    const auto call = [](const std::shared_ptr<Stream> &stream, void *argument) {
        return (*static_cast<Body *>(argument))(stream);
    };
    Status status{};
    const auto result = add_submitted(to, dependencies, current_device().number, call, &body, status);
    if (status != Status::success) return status;
    if (!result) return Status::invalid_value; // it would do nothing
    if (given) {
        std::lock_guard lock(graphs_mutex());
        result->work->parameters.swap(given);
    }
    *node = static_cast<NodeTag *>(result->handle);
    return Status::success;
}

// Whether an update of an executable graph may change a node's operands so.
bool may_update(Task task, const Operands &before, const Operands &after);
bool may_update_on_hip(Task task, const Operands &before, const Operands &after);

// Replaces what a node does: in its graph, or in an executable one where that isn't null.
Status replace_work(ExecutableTag *executable, NodeTag *node, const std::shared_ptr<Node> &by);

// Replaces it by what body(stream) submits for the node's device. With `in_graph` the node's own graph is
// meant, else the executable one.
template <class Body>
Status set_work(bool in_graph, ExecutableTag *executable, NodeTag *node, Task task, Body body,
                GivenParameters given = {}) {
    if (!in_graph && !executable) return Status::invalid_value;
    const auto object = nodes().find(node);
    // HIP looks at the node first.
    if (on_hip() && (!object || object->task != task)) return Status::invalid_value;
    const auto call = [](const std::shared_ptr<Stream> &stream, void *argument) {
        return (*static_cast<Body *>(argument))(stream);
    };
    const auto scratch = make_graph();
    Status status{};
    const int device = object ? object->device : current_device().number;
    const auto result = add_submitted(scratch, {}, device, call, &body, status);
    if (result && given) result->work->parameters.swap(given);
    if (status == Status::success)
        status = result ? replace_work(executable, node, result) : Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    retire(*scratch);
    return status;
}

// Whether a kernel's node was told so by an attribute.
bool is_cooperative(NodeTag *node);

// The work of a kernel's node, by the parameters of either runtime.
template <class Parameters> auto launching(const Parameters *parameters, bool cooperative = false) {
    return [=](const std::shared_ptr<Stream> &stream) {
        if (!parameters || (on_hip() && !parameters->func)) return Status::invalid_value;
        const auto kernel = kernel_of(parameters->func);
        if (!kernel) return Status::invalid_device_function;
        // CUDA's older struct takes a library's kernel or a host function, no CUfunction: measured on an
        // H100. The newer one has a functionType, which may say any.
        constexpr bool has_type = requires { parameters->functionType; };
        if (!has_type && !on_hip() && is_function_handle(parameters->func))
            return Status::invalid_resource_handle;
        Arguments arguments;
        const Status status = read_arguments(parameters->kernelParams, parameters->extra, arguments);
        if (status != Status::success) return status;
        const auto &grid = parameters->gridDim, &block = parameters->blockDim;
        const Launch launch{{grid.x, grid.y, grid.z},
                            {block.x, block.y, block.z},
                            parameters->sharedMemBytes,
                            nullptr,
                            cooperative,
                            parameters->func};
        return launch_kernel(*kernel, launch, stream, arguments);
    };
}

// A kernel's values in the form in which they came.
inline void give_values(const KernelCall &call, void **&values, void **&extra) {
    values = call.packed ? nullptr : const_cast<void **>(call.values.data());
    extra = call.packed ? call.packed->extra : nullptr;
}

namespace api {

template <class Parameters>
Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Parameters *kernel) {
    return add_work(node, graph, after, count, launching(kernel));
}
template <class Parameters> Status GraphKernelNodeSetParams(NodeTag *node, const Parameters *kernel) {
    return set_work(true, nullptr, node, Task::kernel, launching(kernel, is_cooperative(node)));
}
template <class Parameters>
Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node, const Parameters *kernel) {
    return set_work(false, executable, node, Task::kernel, launching(kernel, is_cooperative(node)));
}

// What a node's kernel is called with; the arrays are the node's.
template <class Parameters> Status GraphKernelNodeGetParams(NodeTag *node, Parameters *kernel) {
    const auto call = asked<KernelCall>(node, Task::kernel);
    if (!call || !kernel) return Status::invalid_value;
    *kernel = {};
    kernel->func = const_cast<void *>(call->function);
    kernel->gridDim = {call->grid.x, call->grid.y, call->grid.z};
    kernel->blockDim = {call->block.x, call->block.y, call->block.z};
    kernel->sharedMemBytes = static_cast<unsigned>(call->shared);
    give_values(*call, kernel->kernelParams, kernel->extra);
    return Status::success;
}

} // namespace api

// For the structs that describe a node of any type, cudaGraphNodeParams and CUgraphNodeParams.

// Whether the bytes that must be zero are so.
template <class Parameters> bool is_whole(const Parameters *parameters) {
    return parameters && !parameters->reserved2 &&
           std::ranges::all_of(parameters->reserved0, [](int one) { return !one; });
}

// The form of one of its members that both APIs share: the member starts with it.
template <class Shared, class Theirs> Shared *shared(Theirs &member) {
    static_assert(sizeof(Shared) <= sizeof member);
    return reinterpret_cast<Shared *>(&member);
}

// The status for a type that has no implementation, or that there is not.
constexpr Status other_type(int type) {
    constexpr int last = 13;
    return type >= 0 && type <= last ? Status::not_supported : Status::invalid_value;
}

// Addresses are numbers in the driver API.
inline void *as_pointer(void *address) { return address; }
inline void *as_pointer(unsigned long long address) { return reinterpret_cast<void *>(address); }

// Nodes of the types whose structs all APIs have in common; other_type() for the rest.
template <class Theirs>
Status add_common(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                  Theirs &parameters) {
    switch (static_cast<Task>(parameters.type)) {
    case Task::host:
        return api::GraphAddHostNode(node, graph, after, count, shared<HostCall>(parameters.host));
    case Task::graph: {
        bool moves = false;
        if constexpr (requires { parameters.graph.ownership; }) {
            const int ownership = static_cast<int>(parameters.graph.ownership);
            if (ownership < 0 || ownership > 1) return Status::invalid_value;
            moves = ownership == 1;
        }
        auto *const child = reinterpret_cast<GraphTag *>(parameters.graph.graph);
        return moves ? api::move_child_graph(node, graph, after, count, child)
                     : api::GraphAddChildGraphNode(node, graph, after, count, child);
    }
    case Task::empty:
        return api::GraphAddEmptyNode(node, graph, after, count);
    case Task::wait:
        return api::GraphAddEventWaitNode(node, graph, after, count,
                                          reinterpret_cast<EventTag *>(parameters.eventWait.event));
    case Task::record:
        return api::GraphAddEventRecordNode(node, graph, after, count,
                                            reinterpret_cast<EventTag *>(parameters.eventRecord.event));
    case Task::allocation:
        return api::GraphAddMemAllocNode(node, graph, after, count, shared<AllocationNode>(parameters.alloc));
    case Task::release:
        return api::GraphAddMemFreeNode(node, graph, after, count, as_pointer(parameters.free.dptr));
    default:
        return other_type(static_cast<int>(parameters.type));
    }
}

// The same for changing what they do: in the graph where there is no executable one.
template <class Theirs> Status set_common(ExecutableTag *executable, NodeTag *node, Theirs &parameters) {
    switch (static_cast<Task>(parameters.type)) {
    case Task::host:
        return executable
                   ? api::GraphExecHostNodeSetParams(executable, node, shared<HostCall>(parameters.host))
                   : api::GraphHostNodeSetParams(node, shared<HostCall>(parameters.host));
    case Task::graph:
        return api::set_child_graph(executable, node, reinterpret_cast<GraphTag *>(parameters.graph.graph));
    case Task::wait:
        return api::set_event(!executable, executable, node, Task::wait,
                              reinterpret_cast<EventTag *>(parameters.eventWait.event));
    case Task::record:
        return api::set_event(!executable, executable, node, Task::record,
                              reinterpret_cast<EventTag *>(parameters.eventRecord.event));
    default:
        return other_type(static_cast<int>(parameters.type));
    }
}

// And for asking what they do.
template <class Theirs> Status get_common(NodeTag *node, Task task, Theirs &parameters) {
    Status status = Status::success;
    switch (task) {
    case Task::host:
        return api::GraphHostNodeGetParams(node, shared<HostCall>(parameters.host));
    case Task::graph: {
        GraphTag *child = nullptr;
        status = api::GraphChildGraphNodeGetGraph(node, &child);
        parameters.graph.graph = reinterpret_cast<decltype(parameters.graph.graph)>(child);
        return status;
    }
    case Task::empty:
        return status;
    case Task::wait:
        return api::GraphEventWaitNodeGetEvent(node,
                                               reinterpret_cast<EventTag **>(&parameters.eventWait.event));
    case Task::record:
        return api::GraphEventRecordNodeGetEvent(
            node, reinterpret_cast<EventTag **>(&parameters.eventRecord.event));
    case Task::allocation:
        return api::GraphMemAllocNodeGetParams(node, shared<AllocationNode>(parameters.alloc));
    case Task::release:
        return api::GraphMemFreeNodeGetParams(node, reinterpret_cast<void **>(&parameters.free.dptr));
    case Task::conditional:
        return api::get_conditional(node, *shared<api::ConditionalNode>(parameters.conditional));
    default:
        return Status::not_supported;
    }
}

} // namespace pygpu::host
