// Asking a stream or a node for its graph, and making a graph keep something.
#include "types/callbacks/capture.hpp"

#include "python/gil.hpp"
#include "python/later.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"

#include <string_view>

namespace pygpu {
namespace {

// The library calls this on any thread. It must not take the GIL, because the thread that holds the GIL may
// wait for this one.
void graph_is_gone(void *token) {
    postpone([token] { forget(reinterpret_cast<Token>(token)); });
}

} // namespace

void *captured_graph(const FunctionRecord &record, const void *stream) {
    return captured_graph(record.api, stream,
                          record.api.per_thread || std::string_view(record.name).ends_with("_spt"));
}

void *captured_graph(const Api &api, const void *stream, bool per_thread) {
    const OwnCalls &own = api.own;
    if (!own.capture_info) return nullptr;
    // Stream 0 is either the per-thread stream or the legacy stream, which can't capture.
    if (!stream && per_thread) stream = reinterpret_cast<const void *>(own.thread_stream);
    if (!stream) return nullptr;
    bool capturing = false;
    void *graph = nullptr;
    GilReleased released(true);
    // If this fails, the user's call that follows fails as well and reports it.
    const int status = own.capture_info(const_cast<void *>(stream), &capturing, &graph);
    return !status && capturing ? graph : nullptr;
}

void *graph_of_node(Api &api, void *node) {
    const OwnCalls &own = api.own;
    if (!own.graph_of_node || !node) return nullptr;
    void *graph = nullptr;
    GilReleased released(true);
    return guarding_error_state(own, [&] { return own.graph_of_node(node, &graph); }) ? nullptr : graph;
}

void keep_by_graph(Api &api, void *graph, Token token) {
    const OwnCalls &own = api.own;
    if (!own.user_object_create || !own.user_object_retain) return;
    GilReleased released(true);
    // If retaining fails, the user object and its token are never released.
    guarding_error_state(own, [&] {
        void *object = nullptr;
        const int failed = own.user_object_create(&object, reinterpret_cast<void *>(token), graph_is_gone);
        return failed ? failed : own.user_object_retain(graph, object);
    });
}

} // namespace pygpu
