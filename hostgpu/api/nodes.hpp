// Adding nodes to a graph by hand: their work is submitted to a stream that captures into the graph.
#pragma once

#include "base/call.hpp"
#include "base/caught.hpp"
#include "base/types.hpp"
#include "code/kernels.hpp"
#include "code/launch.hpp"
#include "code/modules.hpp"
#include "device/device.hpp"
#include "streams/capture.hpp"

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

// Adds the node that body(stream) makes by submitting one piece of work.
template <class Body>
Status add_work(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count, Body body) {
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
Status set_work(bool in_graph, ExecutableTag *executable, NodeTag *node, Task task, Body body) {
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
    if (status == Status::success)
        status = result ? replace_work(executable, node, result) : Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    retire(*scratch);
    return status;
}

// The work of a kernel's node, by the parameters of either runtime.
template <class Parameters> auto launching(const Parameters *parameters) {
    return [parameters](const std::shared_ptr<Stream> &stream) {
        if (!parameters || (on_hip() && !parameters->func)) return Status::invalid_value;
        const auto kernel = kernel_of(parameters->func);
        if (!kernel) return Status::invalid_device_function;
        // CUDA's older struct takes a library's kernel or a host function, no CUfunction: measured on an
        // H100. The newer one has a functionType, which may say any.
        constexpr bool has_type = requires { parameters->functionType; };
        if (!has_type && !on_hip() && is_function_handle(parameters->func))
            return Status::invalid_resource_handle;
        if (parameters->extra) return Status::not_supported;
        const auto &grid = parameters->gridDim, &block = parameters->blockDim;
        const Launch launch{
            {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, parameters->sharedMemBytes, nullptr};
        return launch_kernel(*kernel, launch, stream, {parameters->kernelParams});
    };
}

namespace api {

template <class Parameters>
Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Parameters *kernel) {
    return add_work(node, graph, after, count, launching(kernel));
}
template <class Parameters> Status GraphKernelNodeSetParams(NodeTag *node, const Parameters *kernel) {
    return set_work(true, nullptr, node, Task::kernel, launching(kernel));
}
template <class Parameters>
Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node, const Parameters *kernel) {
    return set_work(false, executable, node, Task::kernel, launching(kernel));
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

} // namespace pygpu::host
