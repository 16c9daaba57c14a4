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

// The C functions, declared by the ABI that CUDA and HIP share. Later versions of GetCaptureInfo add optional
// pointers at the end. Null for all of them works with every version.
using GetCaptureInfo = int(const void *stream, int *status, unsigned long long *id, void **graph, void *,
                           void *, void *);
using GetContainingGraph = int(void *node, void **graph);
using UserObjectCreate = int(void **object, void *pointer, void (*destroy)(void *), unsigned count,
                             unsigned flags);
using RetainUserObject = int(void *graph, void *object, unsigned count, unsigned flags);

constexpr int capturing = 1;           // …StreamCaptureStatusActive
constexpr unsigned no_sync = 1;        // …UserObjectNoDestructorSync, which is required
constexpr unsigned give_reference = 1; // …GraphUserObjectMove

// The plain GetCaptureInfo of CUDA 11, CUDA 12 and HIP has too few parameters. From CUDA 13 on it has them
// all and is the only version.
GetCaptureInfo *get_capture_info(const Api &api) {
    for (const char *name : {"StreamGetCaptureInfo_v3", "StreamGetCaptureInfo_v2", "StreamGetCaptureInfo"}) {
        if (auto *function = find_function<GetCaptureInfo>(api, name)) return function;
    }
    return nullptr;
}

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
    GetCaptureInfo *ask = get_capture_info(api);
    if (!ask) return nullptr;
    // Stream 0 is either the per-thread stream, which has the number 2, or the legacy stream, which can't
    // capture.
    if (!stream && per_thread) stream = reinterpret_cast<const void *>(std::uintptr_t{2});
    if (!stream) return nullptr;
    int status = 0;
    unsigned long long id = 0;
    void *graph = nullptr;
    GilReleased released(true);
    // If this fails, the user's call that follows fails as well and reports it.
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
    // If retaining fails, the user object and its token are never released.
    guarding_error_state(api.own, [&] {
        void *object = nullptr;
        const int failed = create(&object, reinterpret_cast<void *>(token), graph_is_gone, 1, no_sync);
        return failed ? failed : retain(graph, object, 1, give_reference);
    });
}

} // namespace pygpu
