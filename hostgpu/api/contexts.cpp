// Green contexts: a share of the processors, for the kernels of their streams.
#include "api/contexts.hpp"

#include "api/api.hpp"
#include "api/find.hpp"
#include "base/call.hpp"
#include "base/handles.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "streams/capture.hpp"
#include "streams/event.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace pygpu::host {
namespace {

// A green context that is still there; of the runtime, also a device's primary one.
std::shared_ptr<Context> green_context(const ContextTag *handle) {
    const auto context = contexts().find(handle);
    const bool runtime = current_vendor() == Vendor::cuda;
    return context && (context->green() || (runtime && context->primary)) ? context : nullptr;
}

// Codes: the manuals' of both APIs.
Status no_context() {
    return current_vendor() == Vendor::cuda ? Status::invalid_value : Status::invalid_context;
}

bool is_in(const Stream &stream, const Context &context) {
    if (stream.kind != StreamKind::created) return true; // contexts of a device share its default streams
    return context.green() ? stream.green.get() == &context : !stream.green && stream.context == context.id;
}

// Up to where the context's streams have work.
std::vector<Point> work_of(const Context &context) {
    std::vector<Point> points;
    for (const auto &stream : streams_of(context.device).all.those([&](const Stream &one) {
             return is_in(one, context) && !one.idle();
         }))
        points.push_back(stream->here());
    return points;
}

// A stream of our own, on which no other work is.
std::shared_ptr<Stream> new_stream(int device) {
    constexpr unsigned non_blocking = 1;
    auto stream = make_stream(StreamKind::created, device, non_blocking, 0);
    stream->green = nullptr;
    return stream;
}

} // namespace

std::shared_ptr<Context> retain_primary(int device) {
    auto primary = primary_context(device);
    std::lock_guard lock(primary_of(device).mutex);
    ++primary_of(device).retained;
    primary->alive = true;
    return primary;
}

Status release_primary(int device) {
    PrimaryContext &primary = primary_of(device);
    {
        std::lock_guard lock(primary.mutex);
        if (!primary.retained) return Status::invalid_context;
        if (--primary.retained || primary.runtime_uses) return Status::success;
    }
    api::reset_device(device);
    return Status::success;
}

void end_green_contexts(int device) {
    for (const auto &[handle, context] : contexts().all()) {
        if (context->device != device || !context->green()) continue;
        context->alive = false;
        contexts().remove(handle);
    }
}

Status record_event(const Context &context, EventTag *handle) {
    const auto event = find_event(handle);
    if (!event) return gone_event(handle);
    if (event->device != context.device) return Status::invalid_resource_handle;
    refuse_captured(context.device);
    const auto on = new_stream(context.device);
    auto gate = make_work([] {});
    gate->after = work_of(context);
    on->submit(std::move(gate));
    event->record(on);
    on->close();
    return Status::success;
}

// All later work of the device waits, not only the context's: it starts later than it might.
Status wait_for_event(const Context &context, EventTag *handle) {
    const auto event = find_event(handle);
    if (!event) return gone_event(handle);
    refuse_captured(context.device);
    if (const auto captured = event->captured()) refuse_captured(*captured);
    if (event->reached()) return Status::success;
    const auto on = new_stream(context.device);
    event->make_wait(*on);
    streams_of(context.device).bar(on->here());
    on->close();
    return Status::success;
}

namespace api {

Status make_green_context(ContextTag **context, DescriptionTag *description, int device) {
    auto share = static_cast<unsigned>(facts().cores);
    int its_device = device;
    if (!context) return Status::invalid_value;
    // The driver takes none as the whole device.
    const bool whole = !description && current_vendor() == Vendor::cu;
    if (!whole && !share_of(description, its_device, share)) return Status::invalid_value;
    if (!is_device(device)) return Status::invalid_device;
    if (its_device != device) return Status::invalid_value;
    auto created = std::make_shared<Context>(device, 0u, false, share);
    created->handle = contexts().add(created);
    retain_primary(device);
    *context = static_cast<ContextTag *>(created->handle);
    return Status::success;
}

// Streams of the context stay: calls with them return context_is_destroyed.
Status destroy_green_context(ContextTag *handle) {
    const auto context = contexts().find(handle);
    if (!context || !context->green()) return no_context();
    end_work(streams_of(context->device).all.those([&](const Stream &one) { return one.green == context; }));
    contexts().remove(handle);
    if (current_context() == context) set_current_context(nullptr);
    context->alive = false;
    return release_primary(context->device);
}

Status GreenCtxGetDevResource(ContextTag *context, DevResource *resource, int type) {
    const auto object = green_context(context);
    return object ? get_resource(*object, resource, type) : no_context();
}

Status GreenCtxGetId(ContextTag *context, unsigned long long *id) {
    if (!id) return Status::invalid_value;
    const auto object = green_context(context);
    if (!object) return no_context();
    *id = object->id;
    return Status::success;
}

Status GreenCtxRecordEvent(ContextTag *context, EventTag *event) {
    const auto object = green_context(context);
    return object ? record_event(*object, event) : no_context();
}

Status GreenCtxWaitEvent(ContextTag *context, EventTag *event) {
    const auto object = green_context(context);
    return object ? wait_for_event(*object, event) : no_context();
}

Status GreenCtxStreamCreate(StreamTag **stream, ContextTag *context, unsigned flags, int priority) {
    constexpr unsigned non_blocking = 1;
    if (!stream || flags & ~non_blocking) return Status::invalid_value;
    if (current_vendor() == Vendor::cu && !flags) return Status::invalid_value; // "must be specified"
    auto object = green_context(context);
    if (!object) return no_context();
    const Priorities range = priorities();
    const int within = std::clamp(priority, range.greatest, range.least);
    auto created = make_stream(StreamKind::created, object->device, flags, within);
    created->green = object->green() ? object : nullptr;
    created->context = primary_context(object->device)->id;
    *stream = static_cast<StreamTag *>(streams().add(std::move(created)));
    return Status::success;
}

Status ExecutionCtxSynchronize(ContextTag *handle) {
    const auto context = green_context(handle);
    if (!context) return no_context();
    refuse_captured(context->device);
    for (const Point &point : work_of(*context)) point.wait();
    return Status::success;
}

Status ExecutionCtxGetDevice(int *device, ContextTag *handle) {
    if (!device) return Status::invalid_value;
    const auto context = green_context(handle);
    if (!context) return no_context();
    *device = context->device;
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
