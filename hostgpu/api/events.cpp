// Events.
#include "api/api.hpp"
#include "api/find.hpp"
#include "base/context.hpp"
#include "base/thread.hpp"
#include "device/device.hpp"
#include "memory/misuse.hpp"
#include "streams/capture.hpp"
#include "streams/event.hpp"
#include "streams/graph_launch.hpp"

namespace pygpu::host::api {
namespace {

constexpr unsigned known_flags = 7;

// Throws if the event may not be queried or waited for.
void check_outside_captures(const Event &event) {
    if (const auto captured = event.captured()) refuse_captured(*captured);
    refuse_unsafe_late();
}

} // namespace

Status EventCreate(EventTag **event) { return EventCreateWithFlags(event, 0); }

Status EventCreateWithFlags(EventTag **event, unsigned flags) {
    return flags & ~known_flags ? Status::invalid_value : create_event(event, flags);
}

Status create_event(EventTag **event, unsigned flags) {
    if (!event) return Status::invalid_value;
    if (flags & interprocess && !(flags & disable_timing)) return Status::invalid_value;
    const int device = current_device().number;
    std::shared_ptr<SharedEvent> across;
    if (flags & interprocess && !(across = SharedEvent::make())) return Status::operating_system;
    auto created = std::make_shared<Event>(device, flags, context_for(device), std::move(across));
    *event = static_cast<EventTag *>(events().add(std::move(created)));
    return Status::success;
}

Status EventDestroy(EventTag *event) {
    if (events().remove(event)) return Status::success;
    report_misuse("not an event, or one that was destroyed before", event);
    return gone_event(event);
}

Status EventRecord(EventTag *event, StreamTag *stream) {
    const auto recorded = find_event(event);
    const auto on = find_stream(stream);
    if (!recorded) return gone_event(event);
    if (!on) return gone_stream(stream);
    if (recorded->device != on->device) return Status::invalid_resource_handle;
    recorded->record(on);
    return Status::success;
}

Status EventQuery(EventTag *event) {
    const auto object = find_event(event);
    if (!object) return gone_event(event);
    check_outside_captures(*object);
    thread().asks_whether_done = true;
    return object->reached() ? Status::success : Status::not_ready;
}

Status EventSynchronize(EventTag *event) {
    const auto object = find_event(event);
    if (!object) return gone_event(event);
    check_outside_captures(*object);
    thread().asks_whether_done = true;
    object->wait();
    trim_pools(object->device);
    return Status::success;
}

Status EventElapsedTime(float *milliseconds, EventTag *start, EventTag *end) {
    if (!milliseconds) return Status::invalid_value;
    const auto first = find_event(start), second = find_event(end);
    if (!first || !second) return gone_event(first ? end : start);
    if (!first->timed() || !second->timed() || first->device != second->device)
        return Status::invalid_resource_handle;
    const std::shared_ptr<Recording> begin = first->recording(), finish = second->recording();
    if (!begin || !finish) return Status::invalid_resource_handle;
    if (begin->captured || finish->captured) return Status::captured_event;
    thread().asks_whether_done = true;
    if (!begin->reached.load(std::memory_order_acquire) || !finish->reached.load(std::memory_order_acquire))
        return Status::not_ready;
    *milliseconds = static_cast<float>(static_cast<double>(finish->nanoseconds - begin->nanoseconds) * 1e-6);
    return Status::success;
}

Status EventRecordWithFlags(EventTag *event, StreamTag *stream, unsigned flags) {
    if (flags > 1) return Status::invalid_value;
    if (!flags) return EventRecord(event, stream);
    const auto recorded = find_event(event);
    const auto on = find_stream(stream);
    if (!recorded) return gone_event(event);
    if (!on) return gone_stream(stream);
    if (!captures(*on)) return Status::illegal_state;
    on->submit(make_prepared(Task::record, parameters_of(EventUse{recorded, event})));
    return Status::success;
}

} // namespace pygpu::host::api
