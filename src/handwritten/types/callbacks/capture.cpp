// Asking a stream or a node for its graph, and making a graph keep something.
#include "types/callbacks/capture.hpp"

#include "python/gil.hpp"
#include "python/later.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"
#include "runtime/library.hpp"

#include <string_view>

namespace pygpu {
namespace {

// The C functions by their ABI, which CUDA and HIP share. Of the forms of GetCaptureInfo the later ones add
// optional pointers at the end: null for all of them suits each.
using GetCaptureInfo = int(const void *stream, int *status, unsigned long long *id, void **graph, void *,
                           void *, void *);
using GetContainingGraph = int(void *node, void **graph);
using UserObjectCreate = int(void **object, void *pointer, void (*destroy)(void *), unsigned count,
                             unsigned flags);
using RetainUserObject = int(void *graph, void *object, unsigned count, unsigned flags);

constexpr int capturing = 1;           // …StreamCaptureStatusActive
constexpr unsigned no_sync = 1;        // …UserObjectNoDestructorSync, which is obligatory
constexpr unsigned give_reference = 1; // …GraphUserObjectMove

// CUDA 11 and 12 and HIP have a plain GetCaptureInfo that is too short; from CUDA 13 it is the only one.
GetCaptureInfo *get_capture_info(const Api &api) {
    for (const char *name : {"StreamGetCaptureInfo_v3", "StreamGetCaptureInfo_v2", "StreamGetCaptureInfo"}) {
        if (auto *found = find_function<GetCaptureInfo>(api, name)) return found;
    }
    return nullptr;
}

// Where nobody knows which thread: without the GIL, which somebody may hold who waits for this thread.
void graph_is_gone(void *token) {
    postpone([token] { forget(reinterpret_cast<Token>(token)); });
}

} // namespace

void *captured_graph(const FunctionRecord &record, const void *stream) {
    return captured_graph(record.api, stream,
                          record.api.per_thread || std::string_view(record.name).ends_with("_spt"));
}

void *captured_graph(const Api &api, const void *stream, bool per_thread) {
    GetCaptureInfo *ask = get_capture_info(api);
    if (!ask) return nullptr;
    // The legacy stream can't capture; where 0 is the per-thread stream, its number is 2.
    if (!stream && per_thread) stream = reinterpret_cast<const void *>(std::uintptr_t{2});
    if (!stream) return nullptr;
    int status = 0;
    unsigned long long id = 0;
    void *graph = nullptr;
    GilReleased released(true);
    // A failure here is that of the call to come, which then says so.
    if (ask(stream, &status, &id, &graph, nullptr, nullptr, nullptr)) return nullptr;
    return status == capturing ? graph : nullptr;
}

void *graph_of_node(Api &api, void *node) {
    auto *ask = find_function<GetContainingGraph>(api, "GraphNodeGetContainingGraph");
    if (!ask || !node) return nullptr;
    void *graph = nullptr;
    GilReleased released(true);
    return guarding_error_state(api.own, [&] { return ask(node, &graph); }) ? nullptr : graph;
}

void keep_by_graph(Api &api, void *graph, Token token) {
    auto *create = find_function<UserObjectCreate>(api, "UserObjectCreate");
    auto *retain = find_function<RetainUserObject>(api, "GraphRetainUserObject");
    if (!create || !retain) return;
    GilReleased released(true);
    // Should retaining fail, the object stays, and with it the token.
    guarding_error_state(api.own, [&] {
        void *object = nullptr;
        const int failed = create(&object, reinterpret_cast<void *>(token), graph_is_gone, 1, no_sync);
        return failed ? failed : retain(graph, object, 1, give_reference);
    });
}

} // namespace pygpu
