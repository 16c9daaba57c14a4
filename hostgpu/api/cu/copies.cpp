// The driver API's copies: the direction is in the name, or in a struct.
#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "api/find.hpp"
#include "api/nodes.hpp"
#include "api/operands.hpp"
#include "cuda_driver/enumerators.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::cu {
namespace {

c::CUmemorytype type_of(MemorySpace space) {
    return space == MemorySpace::host     ? c::CU_MEMORYTYPE_HOST
           : space == MemorySpace::device ? c::CU_MEMORYTYPE_DEVICE
           : space == MemorySpace::array  ? c::CU_MEMORYTYPE_ARRAY
                                          : c::CU_MEMORYTYPE_UNIFIED;
}

MemorySpace space_of(c::CUmemorytype type) {
    switch (type) {
    case c::CU_MEMORYTYPE_HOST:
        return MemorySpace::host;
    case c::CU_MEMORYTYPE_DEVICE:
        return MemorySpace::device;
    case c::CU_MEMORYTYPE_ARRAY:
        return MemorySpace::array;
    case c::CU_MEMORYTYPE_UNIFIED:
        return MemorySpace::either;
    default:
        return MemorySpace::nowhere;
    }
}

// For the structs with three dimensions: CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER.
template <class Copy>
Status copy_3d(const std::shared_ptr<Stream> &stream, const Copy &parameters, Return when) {
    return copy_operands(stream, target_of(parameters, space_of), source_of(parameters, space_of),
                         {parameters.WidthInBytes, parameters.Height, parameters.Depth}, when);
}

Status copy_2d(const std::shared_ptr<Stream> &stream, const c::CUDA_MEMCPY2D &parameters, Return when) {
    const Operand to{space_of(parameters.dstMemoryType),
                     parameters.dstHost,
                     at(parameters.dstDevice),
                     as(parameters.dstArray),
                     parameters.dstXInBytes,
                     parameters.dstY,
                     0,
                     parameters.dstPitch,
                     0};
    const Operand from{space_of(parameters.srcMemoryType),
                       parameters.srcHost,
                       at(parameters.srcDevice),
                       as(parameters.srcArray),
                       parameters.srcXInBytes,
                       parameters.srcY,
                       0,
                       parameters.srcPitch,
                       0};
    return copy_operands(stream, to, from, {parameters.WidthInBytes, parameters.Height, 1}, when);
}

// The devices of two contexts; null means the current context. False if one of them is no context.
bool devices_of(c::CUcontext to, c::CUcontext from, int &to_device, int &from_device) {
    const auto target = context_of(to), source = context_of(from);
    if (!target || !source) return false;
    to_device = target->device;
    from_device = source->device;
    return true;
}

} // namespace

Status copy_now(void *to, const void *from, std::size_t count, int kind) {
    return transfer(stream_of(nullptr), flat(to), flat(from), {count, 1, 1}, kind, Return::after_host);
}

Status MemcpyPeer(void *to, c::CUcontext to_context, const void *from, c::CUcontext from_context,
                  std::size_t count) {
    int target = 0, source = 0;
    if (!devices_of(to_context, from_context, target, source)) return Status::invalid_context;
    return api::MemcpyPeer(to, target, from, source, count);
}

Status MemcpyPeerAsync(void *to, c::CUcontext to_context, const void *from, c::CUcontext from_context,
                       std::size_t count, StreamTag *stream) {
    int target = 0, source = 0;
    if (!devices_of(to_context, from_context, target, source)) return Status::invalid_context;
    return api::MemcpyPeerAsync(to, target, from, source, count, stream);
}

Status Memcpy2D(const c::CUDA_MEMCPY2D *parameters) {
    return parameters ? copy_2d(stream_of(nullptr), *parameters, Return::after_host) : Status::invalid_value;
}

Status Memcpy2DAsync(const c::CUDA_MEMCPY2D *parameters, StreamTag *stream) {
    if (!parameters) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? copy_2d(on, *parameters, Return::queued) : gone_stream(stream);
}

Status Memcpy3D(const c::CUDA_MEMCPY3D *parameters) {
    return parameters ? copy_3d(stream_of(nullptr), *parameters, Return::after_host) : Status::invalid_value;
}

Status Memcpy3DAsync(const c::CUDA_MEMCPY3D *parameters, StreamTag *stream) {
    if (!parameters) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? copy_3d(on, *parameters, Return::queued) : gone_stream(stream);
}

namespace {

auto copying(const c::CUDA_MEMCPY3D *copy) {
    return [copy](const std::shared_ptr<Stream> &stream) {
        return copy ? copy_3d(stream, *copy, Return::queued) : Status::invalid_value;
    };
}

GivenParameters given(const c::CUDA_MEMCPY3D *copy) {
    if (!copy) return nullptr;
    return parameters_of(in_runtime_form(target_of(*copy, space_of), source_of(*copy, space_of),
                                         {copy->WidthInBytes, copy->Height, copy->Depth}));
}

} // namespace

Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::CUDA_MEMCPY3D *copy, c::CUcontext context) {
    if (!context_of(context)) return Status::invalid_context;
    return add_work(node, graph, after, count, copying(copy), given(copy));
}

Status GraphMemcpyNodeGetParams(NodeTag *node, c::CUDA_MEMCPY3D *copy) {
    const auto is = asked<Copy3D>(node, Task::copy);
    if (!is || !copy) return Status::invalid_value;
    give_operands(*is, *copy, type_of);
    return Status::success;
}

Status GraphMemcpyNodeSetParams(NodeTag *node, const c::CUDA_MEMCPY3D *copy) {
    return set_work(true, nullptr, node, Task::copy, copying(copy), given(copy));
}

Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const c::CUDA_MEMCPY3D *copy,
                                    c::CUcontext context) {
    if (!context_of(context)) return Status::invalid_context;
    return set_work(false, executable, node, Task::copy, copying(copy), given(copy));
}

Status Memcpy3DPeer(const c::CUDA_MEMCPY3D_PEER *parameters) {
    int target = 0, source = 0;
    if (!parameters) return Status::invalid_value;
    if (!devices_of(parameters->dstContext, parameters->srcContext, target, source))
        return Status::invalid_context;
    const auto on = stream_of(nullptr);
    return in_line_with(on, target, source, [&] { return copy_3d(on, *parameters, Return::after_host); });
}

Status Memcpy3DPeerAsync(const c::CUDA_MEMCPY3D_PEER *parameters, StreamTag *stream) {
    int target = 0, source = 0;
    if (!parameters) return Status::invalid_value;
    if (!devices_of(parameters->dstContext, parameters->srcContext, target, source))
        return Status::invalid_context;
    const auto on = find_stream(stream);
    return on ? copy_3d(on, *parameters, Return::queued) : gone_stream(stream);
}

} // namespace pygpu::host::cu
