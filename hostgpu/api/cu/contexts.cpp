// Contexts and each thread's stack of them.
#include "api/cu/implemented.hpp"

#include "api/contexts.hpp"
#include "base/context.hpp"
#include "base/thread.hpp"
#include "cuda_driver/enumerators.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "memory/pool.hpp"
#include "streams/capture.hpp"
#include "streams/stream.hpp"

#include <mutex>

namespace pygpu::host::cu {
namespace {

constexpr unsigned known_flags = 0xff, schedule = 7, map_host = 8;

bool valid(unsigned flags) {
    const unsigned how = flags & schedule;
    return !(flags & ~known_flags) && !(how & (how - 1));
}

c::CUcontext handle_of(const Context &context) { return static_cast<c::CUcontext>(context.handle); }

unsigned flags_of(const Context &context) {
    const bool of_device = context.primary || context.green();
    return of_device ? device(context.device).flags | map_host : context.flags.load();
}

} // namespace

std::shared_ptr<Context> context_of(c::CUcontext handle) {
    return handle ? contexts().find(handle) : current_context();
}

Status DevicePrimaryCtxRetain(c::CUcontext *context, int number) {
    if (!context) return Status::invalid_value;
    if (!is_device(number)) return Status::invalid_device;
    *context = handle_of(*retain_primary(number));
    return Status::success;
}

Status DevicePrimaryCtxRelease(int number) {
    return is_device(number) ? release_primary(number) : Status::invalid_device;
}

Status DevicePrimaryCtxReset(int number) {
    if (!is_device(number)) return Status::invalid_device;
    reset_device(number);
    return Status::success;
}

Status DevicePrimaryCtxGetState(int number, unsigned *flags, int *active) {
    if (!flags || !active) return Status::invalid_value;
    if (!is_device(number)) return Status::invalid_device;
    *flags = device(number).flags;
    *active = primary_context(number)->alive;
    return Status::success;
}

Status DevicePrimaryCtxSetFlags(int number, unsigned flags) {
    if (!is_device(number)) return Status::invalid_device;
    if (!valid(flags)) return Status::invalid_value;
    device(number).flags = flags;
    return Status::success;
}

Status CtxCreate(c::CUcontext *context, c::CUctxCreateParams *parameters, unsigned flags, int number) {
    if (!context || !valid(flags)) return Status::invalid_value;
    if (!is_device(number)) return Status::invalid_device;
    // A share of the multiprocessors, or of a graphics API's queue: there is nothing to share here.
    if (parameters && (parameters->numExecAffinityParams || parameters->cigParams))
        return Status::not_supported;
    auto created = std::make_shared<Context>(number, flags, false);
    auto &stack = thread().contexts;
    stack.reserve(stack.size() + 1); // nothing is made where that fails
    created->handle = contexts().add(created);
    *context = handle_of(*created);
    push_context(std::move(created));
    return Status::success;
}

Status CtxDestroy(c::CUcontext context) {
    if (!context) return Status::invalid_value;
    const auto gone = contexts().find(context);
    if (!gone || gone->primary || gone->green()) return Status::invalid_context;
    contexts().remove(context);
    if (current_context() == gone) set_current_context(nullptr);
    gone->alive = false; // other threads may still have it on their stacks
    end_context(gone->device, gone->id);
    return Status::success;
}

Status CtxPushCurrent(c::CUcontext context) {
    if (!context) return Status::invalid_value;
    auto object = contexts().find(context);
    if (!object) return Status::invalid_context;
    push_context(std::move(object));
    return Status::success;
}

Status CtxPopCurrent(c::CUcontext *context) {
    const auto current = current_context();
    if (!current) return Status::invalid_context;
    if (context) *context = handle_of(*current);
    set_current_context(nullptr);
    return Status::success;
}

Status CtxSetCurrent(c::CUcontext context) {
    auto object = context ? contexts().find(context) : nullptr;
    if (context && !object) return Status::invalid_context;
    set_current_context(std::move(object));
    return Status::success;
}

Status CtxGetCurrent(c::CUcontext *context) {
    if (!context) return Status::invalid_value;
    const auto current = current_context();
    *context = current ? handle_of(*current) : nullptr;
    return Status::success;
}

Status CtxGetDevice_v2(int *number, c::CUcontext context) {
    if (!number) return Status::invalid_value;
    const auto object = context_of(context);
    if (!object) return Status::invalid_context;
    *number = object->device;
    return Status::success;
}

Status CtxGetFlags(unsigned *flags) {
    if (!flags) return Status::invalid_value;
    *flags = flags_of(*current_context());
    return Status::success;
}

Status CtxSetFlags(unsigned flags) {
    if (!valid(flags)) return Status::invalid_value;
    Context &context = *current_context();
    (context.primary || context.green() ? device(context.device).flags : context.flags) = flags;
    return Status::success;
}

// "Increments the usage count of the context": it has one more use than there are attachments.
Status CtxAttach(c::CUcontext *context, unsigned flags) {
    if (!context || flags) return Status::invalid_value;
    Context &current = *current_context();
    ++current.attached;
    *context = handle_of(current);
    return Status::success;
}

Status CtxDetach(c::CUcontext context) {
    const auto object = contexts().find(context);
    if (!object || object != current_context()) return Status::invalid_context;
    int attached = object->attached.load();
    while (attached && !object->attached.compare_exchange_weak(attached, attached - 1)) {
    }
    return attached || object->primary ? Status::success : CtxDestroy(context);
}

// Each context may use all multiprocessors, but for green ones.
Status CtxGetExecAffinity(c::CUexecAffinityParam *parameter, int type) {
    constexpr int multiprocessors = 0;
    if (!parameter) return Status::invalid_value;
    if (type != multiprocessors) return Status::unsupported_affinity;
    const Context &current = *current_context();
    *parameter = {};
    parameter->param.smCount.val = current.green() ? current.share : static_cast<unsigned>(facts().cores);
    return Status::success;
}

// Contexts with a share of the multiprocessors are for MPS, which isn't here, and there is no other type.
Status DeviceGetExecAffinitySupport(int *supported, int, int number) {
    if (!supported) return Status::invalid_value;
    if (!is_device(number)) return Status::invalid_device;
    *supported = 0;
    return Status::success;
}

Status CtxFromGreenCtx(c::CUcontext *context, ContextTag *green) {
    if (!context) return Status::invalid_value;
    const auto object = contexts().find(green);
    if (!object || !object->green()) return Status::invalid_context;
    *context = handle_of(*object);
    return Status::success;
}

Status CtxGetDevResource(c::CUcontext context, DevResource *resource, int type) {
    const auto object = context_of(context);
    return object ? get_resource(*object, resource, type) : Status::invalid_context;
}

// Null isn't the current context here.
Status CtxRecordEvent(c::CUcontext context, EventTag *event) {
    const auto object = contexts().find(context);
    return object ? record_event(*object, event) : Status::invalid_context;
}

Status CtxWaitEvent(c::CUcontext context, EventTag *event) {
    const auto object = contexts().find(context);
    return object ? wait_for_event(*object, event) : Status::invalid_context;
}

Status CtxGetId(c::CUcontext context, unsigned long long *id) {
    if (!id) return Status::invalid_value;
    const auto object = context_of(context);
    if (!object) return Status::invalid_context;
    *id = object->id;
    return Status::success;
}

Status CtxGetApiVersion(c::CUcontext context, unsigned *version) {
    if (!version) return Status::invalid_value;
    if (!context_of(context)) return Status::invalid_context;
    *version = 3020; // of the release that brought the functions' current forms
    return Status::success;
}

Status CtxSynchronize_v2(c::CUcontext context) {
    const auto object = context_of(context);
    if (!object) return Status::invalid_context;
    refuse_captured(object->device);
    synchronize(object->device);
    return Status::success;
}

Status CtxEnablePeerAccess(c::CUcontext peer, unsigned flags) {
    const auto context = peer ? contexts().find(peer) : nullptr;
    return context ? DeviceEnablePeerAccess(context->device, flags) : Status::invalid_context;
}

Status CtxDisablePeerAccess(c::CUcontext peer) {
    const auto context = peer ? contexts().find(peer) : nullptr;
    return context ? DeviceDisablePeerAccess(context->device) : Status::invalid_context;
}

} // namespace pygpu::host::cu
