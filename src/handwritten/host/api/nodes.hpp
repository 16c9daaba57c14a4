// Adding nodes to a graph by hand: their work is submitted to a stream that captures into the graph.
#pragma once

#include "host/api/types.hpp"
#include "host/core/capture.hpp"
#include "host/core/device.hpp"
#include "host/core/kernels.hpp"
#include "host/core/launch.hpp"

#include <cstddef>
#include <memory>

namespace pygpu::host {

// Null, with a report, for what is no graph.
std::shared_ptr<Graph> find_graph(GraphTag *handle);

// False unless all are nodes of the graph, each named once.
bool find_nodes(const Graph &graph, NodeTag *const *handles, std::size_t count, Nodes &found);

// Adds the node that body(stream) makes by submitting one piece of work.
template <class Body>
Status add_work(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count, Body body) {
    const auto to = find_graph(graph);
    Nodes found;
    if (!node || !to || !find_nodes(*to, after, count, found)) return Status::invalid_value;
    const auto call = [](const std::shared_ptr<Stream> &stream, void *given) {
        return (*static_cast<Body *>(given))(stream);
    };
    Status status{};
    const auto made = add_submitted(to, found, current_device().number, call, &body, status);
    if (status != Status::success) return status;
    if (!made) return Status::invalid_value; // it would do nothing
    *node = static_cast<NodeTag *>(made->handle);
    return Status::success;
}

// Replaces what a node does: in its graph, or in an executable one where that isn't null.
Status replace_work(ExecutableTag *executable, NodeTag *node, const std::shared_ptr<Node> &by);

// Replaces it by what body(stream) submits. With `in_graph` the node's own graph is meant, else the
// executable one.
template <class Body> Status set_work(bool in_graph, ExecutableTag *executable, NodeTag *node, Body body) {
    if (!in_graph && !executable) return Status::invalid_value;
    const auto call = [](const std::shared_ptr<Stream> &stream, void *given) {
        return (*static_cast<Body *>(given))(stream);
    };
    const auto scratch = make_graph();
    Status status{};
    const auto made = add_submitted(scratch, {}, current_device().number, call, &body, status);
    if (status == Status::success)
        status = made ? replace_work(executable, node, made) : Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    retire(*scratch);
    return status;
}

// The work of a kernel's node, by the parameters of either runtime.
template <class Parameters> auto launching(const Parameters *given) {
    return [given](const std::shared_ptr<Stream> &stream) {
        if (!given) return Status::invalid_value;
        const auto kernel = kernel_of(given->func);
        if (!kernel) return Status::invalid_device_function;
        if (given->extra) return Status::not_supported;
        const auto &grid = given->gridDim, &block = given->blockDim;
        const Launch launch{
            {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, given->sharedMemBytes, nullptr};
        return launch_kernel(*kernel, launch, stream, {given->kernelParams});
    };
}

} // namespace pygpu::host
