// Asking a stream or a node for its graph, and making a graph keep something.
#include "types/callbacks/capture.hpp"

#include "base/lock.hpp"
#include "python/gil.hpp"
#include "python/later.hpp"
#include "python/reference.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"

#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pygpu {
namespace {

// The library calls this on any thread. It must not take the GIL, because the thread that holds the GIL may
// wait for this one.
void graph_is_gone(void *token) {
    postpone([token] { forget(reinterpret_cast<Token>(token)); });
}

struct OwnedGraphs {
    std::mutex mutex;
    std::unordered_map<void *, std::vector<Token>> tokens;
};

OwnedGraphs &owned_graphs() {
    static auto *only = new OwnedGraphs; // as the callables' registry
    return *only;
}

bool keep_by_owner(void *graph, Token token) {
    OwnedGraphs &all = owned_graphs();
    const Lock lock(all.mutex);
    const auto owned = all.tokens.find(graph);
    if (owned == all.tokens.end()) return false;
    owned->second.push_back(token);
    return true;
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
    if (keep_by_owner(graph, token)) return;
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

void own_graph(void *graph) {
    OwnedGraphs &all = owned_graphs();
    const Lock lock(all.mutex);
    all.tokens.try_emplace(graph);
}

PyObject *take_owned(void *graph) {
    std::vector<Token> tokens;
    {
        OwnedGraphs &all = owned_graphs();
        const Lock lock(all.mutex);
        if (auto owned = all.tokens.extract(graph)) tokens = std::move(owned.mapped());
    }
    Reference list(PyList_New(0));
    for (const Token token : tokens) {
        const Reference bound(bound_to(token));
        if (list && bound && PyList_Append(list.get(), bound.get())) list = Reference();
    }
    for (const Token token : tokens) forget(token);
    return list.release();
}

void keep_all_by_graph(Api &api, void *graph, PyObject *list) {
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(list); ++at) {
        const Bound *bound = as_bound(PyList_GET_ITEM(list, at));
        if (!bound) continue;
        hold(bound->token);
        keep_by_graph(api, graph, bound->token);
    }
}

} // namespace pygpu
