// What the driver API's streams and events have in a form of their own.
#include "api/cu/implemented.hpp"
#include "api/find.hpp"
#include "base/context.hpp"

namespace pygpu::host::cu {

// A default stream belongs to the current context.
Status StreamGetCtx(StreamTag *stream, c::CUcontext *context) {
    const auto object = find_stream(stream);
    if (!object) return gone_stream(stream);
    if (!context) return Status::invalid_value;
    if (object->kind != StreamKind::created) return CtxGetCurrent(context);
    for (const auto &[handle, one] : contexts().all()) {
        if (one->id == object->context)
            return *context = static_cast<c::CUcontext>(one->handle), Status::success;
    }
    return Status::context_is_destroyed;
}

} // namespace pygpu::host::cu
