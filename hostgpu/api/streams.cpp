// Streams.
#include "api/api.hpp"
#include "api/find.hpp"
#include "base/call.hpp"
#include "base/thread.hpp"
#include "device/device.hpp"
#include "memory/misuse.hpp"
#include "streams/by_handle.hpp"
#include "streams/capture.hpp"
#include "streams/graph_launch.hpp"
#include "streams/stream.hpp"
#include "streams/user_work.hpp"

#include <algorithm>

namespace pygpu::host::api {
namespace {

constexpr unsigned non_blocking = 1;

// An H200 ends a capture whose stream is asked for its flags, device or number, though not for its priority.
void refuse_captured_on_cuda(const Stream &stream) {
    if (!on_hip()) refuse_captured(stream);
}

} // namespace

Status StreamCreate(StreamTag **stream) { return StreamCreateWithPriority(stream, 0, 0); }

Status StreamCreateWithFlags(StreamTag **stream, unsigned flags) {
    return StreamCreateWithPriority(stream, flags, 0);
}

Status StreamCreateWithPriority(StreamTag **stream, unsigned flags, int priority) {
    if (!stream || flags & ~non_blocking) return Status::invalid_value;
    Device &on = current_device();
    const Priorities range = priorities();
    const int within = std::clamp(priority, range.greatest, range.least);
    auto result = make_stream(StreamKind::created, on.number, flags, within);
    *stream = static_cast<StreamTag *>(streams().add(std::move(result)));
    return Status::success;
}

Status StreamDestroy(StreamTag *stream) {
    if (const auto its = streams().find(stream); its && its->green && !its->green->alive)
        return Status::context_is_destroyed;
    const std::shared_ptr<Stream> gone = streams().remove(stream);
    if (!gone) {
        report_misuse("not a stream, or one that was destroyed before", stream);
        const bool special = stream_of(stream) != nullptr; // the default streams stay
        return special ? Status::invalid_resource_handle : gone_stream(stream);
    }
    gone->close();
    return Status::success;
}

Status StreamQuery(StreamTag *stream) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    refuse_captured(*object);
    thread().asks_whether_done = true;
    if (!object->idle()) return Status::not_ready;
    // Work on the legacy stream would wait for all blocking streams, and for copies between devices.
    const bool legacy = object->kind == StreamKind::legacy;
    if (!legacy) return Status::success;
    const bool ready =
        unfinished(object->device, true, nullptr).empty() && streams_of(object->device).barrier().empty();
    return ready ? Status::success : Status::not_ready;
}

Status StreamSynchronize(StreamTag *stream) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    refuse_captured(*object);
    object->wait_all();
    if (object->kind == StreamKind::legacy) {
        for (const Point &point : streams_of(object->device).barrier()) point.wait();
        for (const Point &point : unfinished(object->device, true, nullptr)) point.wait();
    }
    trim_pools(object->device);
    return Status::success;
}

Status StreamWaitEvent(StreamTag *stream, EventTag *event, unsigned flags) {
    if (flags > 1) return Status::invalid_value;
    const auto waits = find_stream(stream);
    const auto for_event = find_event(event);
    if (!waits) return gone_stream(stream);
    if (!for_event) return gone_event(event);
    refuse_implied_on_cuda(*waits);
    if (flags && captures(*waits)) // a node waits, instead of the stream joining the event's capture
        waits->submit(make_prepared(Task::wait, parameters_of(EventUse{for_event, event})));
    else
        for_event->make_wait(*waits);
    return Status::success;
}

Status StreamGetFlags(StreamTag *stream, unsigned *flags) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!flags) return Status::invalid_value;
    refuse_captured_on_cuda(*object);
    *flags = object->flags;
    return Status::success;
}

Status StreamGetPriority(StreamTag *stream, int *priority) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!priority) return Status::invalid_value;
    refuse_implied_on_cuda(*object);
    *priority = object->priority;
    return Status::success;
}

Status StreamGetDevice(StreamTag *stream, int *device) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!device) return Status::invalid_value;
    refuse_captured_on_cuda(*object);
    *device = object->device;
    return Status::success;
}

Status StreamIsCapturing(StreamTag *stream, int *status) {
    if (!status) return Status::invalid_value;
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    CaptureState state;
    const Status asked = capture_state(*object, state);
    *status = state.status;
    return asked;
}

Status StreamAttachMemAsync(StreamTag *stream, void *pointer, std::size_t length, unsigned flags) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    constexpr unsigned single = 4;
    if (flags != 1 && flags != 2 && (flags != single || !stream)) return Status::invalid_value;
    const Memory memory = memory_at(pointer);
    if (!memory || memory->kind != MemoryKind::managed) return Status::invalid_value;
    refuse_captured(*on);
    const bool whole = pointer == memory->base && (!length || length == memory->size);
    return whole ? Status::success : Status::invalid_value;
}

Status ThreadExchangeStreamCaptureMode(int *mode) {
    if (!mode) return Status::invalid_value; // an H200 takes any number, too
    std::swap(*mode, thread().capture_mode);
    return Status::success;
}

Status LaunchHostFunc(StreamTag *stream, void (*function)(void *), void *data) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!function) return Status::invalid_value;
    auto work = make_user_work(object->device, [function, data] { function(data); });
    if (captures(*object)) work->parameters = parameters_of(HostCall{function, data});
    object->submit(std::move(work));
    return Status::success;
}

Status LaunchHostFunc_v2(StreamTag *stream, void (*function)(void *), void *data, unsigned how) {
    return how > 1 ? Status::invalid_value : LaunchHostFunc(stream, function, data);
}

Status add_callback(StreamTag *stream, unsigned flags, bool callable, std::function<void()> callback) {
    const bool wrong = flags || !callable;
    if (wrong && on_hip()) return Status::invalid_value; // checked first, as in hipStreamAddCallback_common()
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (wrong) return Status::invalid_value;
    refuse_captured(*object); // unlike LaunchHostFunc
    object->submit(make_user_work(object->device, std::move(callback)));
    return Status::success;
}

Status StreamGetId(StreamTag *stream, unsigned long long *id) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!id) return Status::invalid_value;
    refuse_captured_on_cuda(*object);
    *id = object->id;
    return Status::success;
}

} // namespace pygpu::host::api
