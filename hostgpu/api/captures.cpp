// Captures of streams into graphs.
#include "api/find.hpp"
#include "api/graphs.hpp"
#include "api/nodes.hpp"
#include "streams/capture.hpp"

namespace pygpu::host::api {

Status StreamBeginCapture(StreamTag *stream, int mode) {
    const auto on = find_stream(stream);
    return on ? begin_capture(*on, mode, nullptr, {}) : gone_stream(stream);
}

Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const GraphEdge *edges, std::size_t count, int mode) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const auto to = find_graph(graph);
    Nodes dependencies;
    if (!to || !find_nodes(*to, after, count, dependencies)) return Status::invalid_value;
    return has_ports(edges, count) ? Status::not_supported : begin_capture(*on, mode, to, dependencies);
}

// The graph may be null where the caller has it: NVIDIA's sample graphConditionalNodes ends a capture into
// the body of a node so.
Status StreamEndCapture(StreamTag *stream, GraphTag **graph) {
    const auto on = find_stream(stream);
    if (!graph && (!on || !captures_into_given(*on))) return Status::invalid_value;
    if (graph) *graph = nullptr;
    if (!on) return gone_stream(stream);
    std::shared_ptr<Graph> created;
    const Status status = end_capture(*on, created);
    if (created && graph) *graph = static_cast<GraphTag *>(created->handle);
    return status;
}

Status StreamGetCaptureInfo(StreamTag *stream, int *status, unsigned long long *id, GraphTag **graph,
                            NodeTag *const **nodes, const GraphEdge **edges, std::size_t *count) {
    if (!status) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    CaptureState state;
    const Status asked = capture_state(*on, state);
    *status = state.status;
    if (id) *id = state.id;
    if (graph) *graph = static_cast<GraphTag *>(state.graph);
    if (nodes) *nodes = reinterpret_cast<NodeTag *const *>(state.nodes);
    if (edges) *edges = reinterpret_cast<const GraphEdge *>(state.edges);
    if (count) *count = state.count;
    return asked;
}

Status StreamUpdateCaptureDependencies(StreamTag *stream, NodeTag *const *handles, const GraphEdge *edges,
                                       std::size_t count, unsigned flags) {
    constexpr unsigned replaces = 1;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    CaptureState state; // this comes before the arguments are looked at
    if (capture_state(*on, state); !state.status) return Status::illegal_state;
    if (flags > replaces || (count && !handles)) return Status::invalid_value;
    if (has_ports(edges, count)) return Status::not_supported;
    Nodes dependencies;
    for (std::size_t index = 0; index < count; ++index) {
        dependencies.push_back(nodes().find(handles[index]));
        if (!dependencies.back()) return Status::invalid_value;
    }
    return set_capture_nodes(*on, dependencies, flags != replaces);
}

} // namespace pygpu::host::api
