// Adding nodes to a graph by hand: what would be submitted to a stream is, to one that captures.
#pragma once

#include "host/api/types.hpp"
#include "host/core/capture.hpp"
#include "host/core/device.hpp"

#include <cstddef>
#include <memory>

namespace pygpu::host {

// Null, with a report, for what is no graph.
std::shared_ptr<Graph> find_graph(GraphTag *handle);

// False where they aren't nodes of the graph, each once.
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

} // namespace pygpu::host
