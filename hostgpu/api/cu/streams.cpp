// What the driver API's streams and events have in a form of their own.
#include "api/cu/implemented.hpp"
#include "api/find.hpp"
#include "base/context.hpp"
#include "streams/capture.hpp"

namespace pygpu::host::cu {

// A default stream belongs to the current context.
Status StreamGetCtx(StreamTag *stream, c::CUcontext *context) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!context) return Status::invalid_value;
    refuse_implied_on_cuda(*object);
    if (object->kind != StreamKind::created) return CtxGetCurrent(context);
    for (const auto &[handle, one] : contexts().all()) {
        if (one->id == object->context)
            return *context = static_cast<c::CUcontext>(one->handle), Status::success;
    }
    return Status::context_is_destroyed;
}

// Null where the stream is in no green context.
Status StreamGetGreenCtx(StreamTag *stream, ContextTag **green) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!green) return Status::invalid_value;
    const auto its = green_context_of(*object);
    *green = its ? static_cast<ContextTag *>(its->handle) : nullptr;
    return Status::success;
}

// With a green context comes its device's primary one.
Status StreamGetCtx_v2(StreamTag *stream, c::CUcontext *context, ContextTag **green) {
    if (!context || !green) return Status::invalid_value;
    const Status status = StreamGetGreenCtx(stream, green);
    if (status != Status::success) return status;
    if (!*green) return StreamGetCtx(stream, context);
    *context = static_cast<c::CUcontext>(primary_context(find_stream(stream)->device)->handle);
    return Status::success;
}

} // namespace pygpu::host::cu
