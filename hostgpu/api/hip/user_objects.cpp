// HIP's user objects: what is too much, or gone, is no error there (hipamd/src/hip_graph.cpp of ROCm/clr, as
// of ROCm 6). As many references are given up, or moved, as there are.
#include "api/hip/implemented.hpp"

#include "api/nodes.hpp"

#include <algorithm>
#include <climits>

namespace pygpu::host::hip {
namespace {

bool is_count(unsigned count) { return count && count <= INT_MAX; }

// At most the caller's references.
unsigned those_of_caller(UserObjectTag *object, unsigned count) {
    const auto slot = user_objects().find(object);
    std::lock_guard lock(graphs_mutex());
    return slot ? static_cast<unsigned>(std::min<std::uint64_t>(slot->count, count)) : 0;
}

} // namespace

Status UserObjectRetain(UserObjectTag *object, unsigned count) {
    if (!object || !is_count(count)) return Status::invalid_value;
    api::UserObjectRetain(object, count);
    return Status::success;
}

Status UserObjectRelease(UserObjectTag *object, unsigned count) {
    if (!object || !is_count(count)) return Status::invalid_value;
    api::UserObjectRelease(object, those_of_caller(object, count));
    return Status::success;
}

Status GraphRetainUserObject(GraphTag *graph, UserObjectTag *object, unsigned count, unsigned flags) {
    constexpr unsigned move = 1;
    if (!find_graph(graph) || !object || !is_count(count) || flags > move) return Status::invalid_value;
    api::GraphRetainUserObject(graph, object, flags == move ? those_of_caller(object, count) : count, flags);
    return Status::success;
}

Status GraphReleaseUserObject(GraphTag *graph, UserObjectTag *object, unsigned count) {
    const auto from = find_graph(graph);
    if (!from || !object || !is_count(count)) return Status::invalid_value;
    const auto slot = user_objects().find(object);
    std::shared_ptr<UserObject> held; // released without the lock
    std::lock_guard lock(graphs_mutex());
    if (slot) held = slot->object.lock();
    const auto kept = from->kept.find(held);
    if (kept == from->kept.end()) return Status::success;
    kept->second -= std::min<std::uint64_t>(kept->second, count);
    if (!kept->second) from->kept.erase(kept);
    return Status::success;
}

} // namespace pygpu::host::hip
