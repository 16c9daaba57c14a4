// What the driver API's streams and events have in a form of their own.
#include "api/cu/implemented.hpp"
#include "api/cuda/implemented.hpp"
#include "api/find.hpp"
#include "base/context.hpp"

namespace pygpu::host::cu {
namespace {

static_assert(sizeof(c::CUlaunchAttributeValue_union) == sizeof(pygpu::cuda::cudaLaunchAttributeValue));

} // namespace

Status StreamCreate(StreamTag **stream, unsigned flags) { return StreamCreateWithFlags(stream, flags); }

// A default stream belongs to the current context.
Status StreamGetCtx(StreamTag *stream, c::CUcontext *context) {
    const auto found = find_stream(stream);
    if (!found) return gone_stream(stream);
    if (!context) return Status::invalid_value;
    if (found->kind != Stream::Kind::created) return CtxGetCurrent(context);
    for (const auto &[handle, one] : contexts().all()) {
        if (one->id == found->context)
            return *context = static_cast<c::CUcontext>(one->handle), Status::success;
    }
    return Status::context_is_destroyed;
}

Status StreamGetId(StreamTag *stream, unsigned long long *id) { return host::cuda::StreamGetId(stream, id); }

Status StreamGetAttribute(StreamTag *stream, int attribute, c::CUlaunchAttributeValue_union *value) {
    return host::cuda::StreamGetAttribute(stream, attribute,
                                          reinterpret_cast<pygpu::cuda::cudaLaunchAttributeValue *>(value));
}

Status StreamSetAttribute(StreamTag *stream, int attribute, const c::CUlaunchAttributeValue_union *value) {
    return host::cuda::StreamSetAttribute(
        stream, attribute, reinterpret_cast<const pygpu::cuda::cudaLaunchAttributeValue *>(value));
}

Status StreamCopyAttributes(StreamTag *to, StreamTag *from) {
    return host::cuda::StreamCopyAttributes(to, from);
}

Status StreamAttachMemAsync(StreamTag *stream, c::CUdeviceptr pointer, std::size_t length, unsigned flags) {
    return api::StreamAttachMemAsync(stream, at(pointer), length, flags);
}

Status EventCreate(EventTag **event, unsigned flags) { return EventCreateWithFlags(event, flags); }

Status EventRecordWithFlags(EventTag *event, StreamTag *stream, unsigned flags) {
    return host::cuda::EventRecordWithFlags(event, stream, flags);
}

} // namespace pygpu::host::cu
