// User objects, which graphs keep.
#include "api/graphs.hpp"
#include "api/nodes.hpp"
#include "base/call.hpp"

#include <climits>

namespace pygpu::host::api {
namespace {

// The manual's limit of one call.
bool is_count(unsigned count) { return count && count <= INT_MAX; }

} // namespace

Status UserObjectCreate(UserObjectTag **object, void *value, void (*destroy)(void *), unsigned count,
                        unsigned flags) {
    constexpr unsigned no_destructor_sync = 1;
    if (!object || !destroy || !count || flags != no_destructor_sync) return Status::invalid_value;
    if (on_hip() && !is_count(count)) return Status::invalid_value; // a card takes any
    auto slot = std::make_shared<UserObjectSlot>();
    auto user_object = std::make_shared<UserObject>(value);
    slot->object = user_object;
    slot->own = user_object;
    slot->count = count;
    user_object->handle = user_objects().add(std::move(slot));
    user_object->destroy = destroy;
    *object = static_cast<UserObjectTag *>(user_object->handle);
    return Status::success;
}

Status UserObjectRetain(UserObjectTag *object, unsigned count) {
    const auto slot = user_objects().find(object);
    if (!slot || !is_count(count)) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!slot->own) slot->own = slot->object.lock();
    if (!slot->own) return Status::invalid_value;
    slot->count += count;
    return Status::success;
}

Status UserObjectRelease(UserObjectTag *object, unsigned count) {
    const auto slot = user_objects().find(object);
    if (!slot || !count) return Status::invalid_value;
    std::shared_ptr<UserObject> gone; // released without the lock
    std::lock_guard lock(graphs_mutex());
    if (slot->count < count) return Status::invalid_value;
    if (!(slot->count -= count)) gone = std::move(slot->own);
    return Status::success;
}

Status GraphRetainUserObject(GraphTag *graph, UserObjectTag *object, unsigned count, unsigned flags) {
    constexpr unsigned move = 1;
    const auto to = find_graph(graph);
    const auto slot = user_objects().find(object);
    if (!to || !slot || !is_count(count) || flags > move) return Status::invalid_value;
    std::shared_ptr<UserObject> kept; // released without the lock
    std::lock_guard lock(graphs_mutex());
    kept = slot->object.lock();
    if (!kept || (flags == move && slot->count < count)) return Status::invalid_value;
    to->kept[kept] += count;
    if (flags == move && !(slot->count -= count)) slot->own.reset();
    return Status::success;
}

Status GraphReleaseUserObject(GraphTag *graph, UserObjectTag *object, unsigned count) {
    const auto from = find_graph(graph);
    const auto slot = user_objects().find(object);
    if (!from || !slot || !count) return Status::invalid_value;
    std::shared_ptr<UserObject> gone; // released without the lock
    std::lock_guard lock(graphs_mutex());
    gone = slot->object.lock();
    const auto kept = from->kept.find(gone);
    if (kept == from->kept.end() || kept->second < count) return Status::invalid_value;
    if (!(kept->second -= count)) from->kept.erase(kept);
    return Status::success;
}

} // namespace pygpu::host::api
