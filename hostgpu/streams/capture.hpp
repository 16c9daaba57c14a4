// Captures: what is submitted to a stream becomes nodes of a graph instead of running. A call that a capture
// forbids is refused by an exception (Refused of caught.hpp), and invalidates the capture.
#pragma once

#include "streams/graph.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace pygpu::host {

struct Capture;

// What an event that was recorded in a capture stands for.
struct Captured {
    std::shared_ptr<Capture> capture;
    std::vector<std::weak_ptr<Node>> nodes;
};

// Throws Refused if the stream captures: for calls that a capture forbids, such as waiting for the stream.
// For calls of Guard::unsafe_late this, like all that looks at a stream's capture, also does refuse_unsafe().
void refuse_captured(const Stream &stream);

// The same for a device: throws if any of its streams captures.
void refuse_captured(int device);

// Throws Refused for the legacy stream if a blocking stream of its device captures: they would wait for each
// other. HIP allows it.
void refuse_implied_on_cuda(const Stream &stream);

// Always throws: an event that was recorded in a capture can't be queried or waited for.
void refuse_captured(const Captured &event);

// For calls that may be unsafe during a capture: throws if this thread's mode and the captures' modes forbid
// them.
void refuse_unsafe();
// The same where the call that this thread is in is one of Guard::unsafe_late.
void refuse_unsafe_late();

// What an event recorded on a stream stands for; null where the stream doesn't capture.
std::shared_ptr<const Captured> capture_point(const Stream &stream);

// Makes later work of a stream depend on an event's captured work; the stream joins that capture. A null
// event was recorded outside of captures. False if neither the event nor the stream belongs to a capture.
bool joins(const Stream &stream, const Captured *event);

// Captures into the graph, after the given nodes of it; into a new graph where `graph` is null.
Status begin_capture(const Stream &stream, int mode, std::shared_ptr<Graph> graph, const Nodes &after);
// Whether the stream captures into a graph that CUDA's caller gave.
bool captures_into_given(const Stream &stream);
Status end_capture(const Stream &stream, std::shared_ptr<Graph> &graph);

// The state of a stream's capture. The arrays are valid until the next call for the same stream.
struct CaptureState {
    int status = 0; // none, active, invalidated
    unsigned long long id = 0;
    void *graph = nullptr;
    void **nodes = nullptr;
    const unsigned long long *edges = nullptr; // 8 bytes for each edge, all zero
    std::size_t count = 0;
};
Status capture_state(const Stream &stream, CaptureState &state);

// Replaces what the stream's next work depends on; `keep` adds to it instead.
Status set_capture_nodes(const Stream &stream, const Nodes &nodes, bool keep);

// Calls body(stream, given), and adds to the graph as a node what the body submits to that stream. Null if it
// submits nothing.
std::shared_ptr<Node> add_submitted(const std::shared_ptr<Graph> &graph, const Nodes &after, int device,
                                    Status (*body)(const std::shared_ptr<Stream> &, void *), void *argument,
                                    Status &status);

} // namespace pygpu::host
