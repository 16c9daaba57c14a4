// Captures: what is submitted to a stream becomes nodes of a graph instead of running. A call that a capture
// forbids is refused by an exception (Refused of guard.hpp), and invalidates the capture.
#pragma once

#include "host/core/graph.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace pygpu::host {

struct Capture;

// What an event stands for that was recorded in a capture.
struct Captured {
    std::shared_ptr<Capture> capture;
    std::vector<std::weak_ptr<Node>> nodes;
};

// Whether a stream captures. Refused where the capture is invalid, and for a legacy stream that would wait
// for one that captures.
bool captures(const Stream &stream);

// Whether the work has become a node, by the same rules.
bool becomes_node(const Stream &stream, std::unique_ptr<Work> &work);

// Refuses what can't be done on a stream that captures: waiting for it, say.
void refuse_captured(const Stream &stream);

// Refuses waiting for a device that has streams which capture.
void refuse_captured(int device);

// Refuses to ask an event that was recorded in a capture, or to wait for it.
void refuse_captured(const Captured &event);

// Refuses what may be unsafe while this thread or others capture, by its mode and theirs.
void refuse_unsafe();

// What an event recorded on a stream stands for; null where the stream doesn't capture.
std::shared_ptr<const Captured> capture_point(const Stream &stream);

// Makes later work of a stream depend on an event's, which draws the stream into the capture. False where
// neither the event (null: one that was recorded outside) nor the stream has to do with one.
bool joins(const Stream &stream, const Captured *event);

// A stream is destroyed: with its origin a capture ends.
void leave_capture(const Stream &stream);

// Into the graph, or a new one where that is null, after nodes of it.
Status begin_capture(const Stream &stream, int mode, std::shared_ptr<Graph> graph, const Nodes &after);
Status end_capture(const Stream &stream, std::shared_ptr<Graph> &graph);

// What a stream's capture is up to. The arrays last until the next such question about the stream.
struct CaptureState {
    int status = 0; // none, active, invalidated
    unsigned long long id = 0;
    void *graph = nullptr;
    void **nodes = nullptr;
    const unsigned long long *edges = nullptr; // what the APIs tell of them: nothing, 8 bytes for each
    std::size_t count = 0;
};
Status capture_state(const Stream &stream, CaptureState &state);

// Replaces what the stream's next work depends on, or adds to it.
Status set_capture_nodes(const Stream &stream, const Nodes &nodes, bool keep);

// Adds to a graph what the body submits to the stream that it is given; null where that is nothing.
std::shared_ptr<Node> add_submitted(const std::shared_ptr<Graph> &graph, const Nodes &after, int device,
                                    Status (*body)(const std::shared_ptr<Stream> &, void *), void *given,
                                    Status &status);

} // namespace pygpu::host
