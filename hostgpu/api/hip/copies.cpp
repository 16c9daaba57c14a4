// HIP's copies in the drivers' form: positions are in bytes, and each end is host memory, device memory or an
// array. Checks: ihipMemcpyParam3D() of hipamd/src/hip_memory.cpp of ROCm/clr.
#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "api/hip/translate.hpp"
#include "api/nodes.hpp"
#include "api/operands.hpp"
#include "hip_runtime/enumerators.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::hip {
namespace {

MemorySpace space_of(c::hipMemoryType type) {
    switch (type) {
    case c::hipMemoryTypeHost:
        return MemorySpace::host;
    case c::hipMemoryTypeDevice:
        return MemorySpace::device;
    case c::hipMemoryTypeArray:
        return MemorySpace::array;
    case c::hipMemoryTypeUnified:
        return MemorySpace::either;
    default:
        return MemorySpace::nowhere;
    }
}

Status copy(const std::shared_ptr<Stream> &stream, const c::HIP_MEMCPY3D &parameters, Return when) {
    return copy_operands(stream, target_of(parameters, space_of), source_of(parameters, space_of),
                         {parameters.WidthInBytes, parameters.Height, parameters.Depth}, when);
}

c::HIP_MEMCPY3D of_one_slice(const c::hip_Memcpy2D &parameters) {
    c::HIP_MEMCPY3D copy{};
    copy.srcXInBytes = parameters.srcXInBytes;
    copy.srcY = parameters.srcY;
    copy.srcMemoryType = parameters.srcMemoryType;
    copy.srcHost = parameters.srcHost;
    copy.srcDevice = parameters.srcDevice;
    copy.srcArray = parameters.srcArray;
    copy.srcPitch = parameters.srcPitch;
    copy.dstXInBytes = parameters.dstXInBytes;
    copy.dstY = parameters.dstY;
    copy.dstMemoryType = parameters.dstMemoryType;
    copy.dstHost = parameters.dstHost;
    copy.dstDevice = parameters.dstDevice;
    copy.dstArray = parameters.dstArray;
    copy.dstPitch = parameters.dstPitch;
    copy.WidthInBytes = parameters.WidthInBytes;
    copy.Height = parameters.Height;
    copy.Depth = 1;
    return copy;
}

} // namespace

Status DrvMemcpy3D(const c::HIP_MEMCPY3D *parameters) {
    return parameters ? copy(stream_of(nullptr), *parameters, Return::after_host) : Status::invalid_value;
}

Status DrvMemcpy3DAsync(const c::HIP_MEMCPY3D *parameters, StreamTag *stream) {
    if (!parameters) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? copy(on, *parameters, Return::queued) : gone_stream(stream);
}

Status MemcpyParam2D(const c::hip_Memcpy2D *parameters) {
    return parameters ? copy(stream_of(nullptr), of_one_slice(*parameters), Return::after_host)
                      : Status::invalid_value;
}

Status MemcpyParam2DAsync(const c::hip_Memcpy2D *parameters, StreamTag *stream) {
    if (!parameters) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? copy(on, of_one_slice(*parameters), Return::queued) : gone_stream(stream);
}

namespace {

c::hipMemoryType type_of(MemorySpace space) {
    return space == MemorySpace::host     ? c::hipMemoryTypeHost
           : space == MemorySpace::device ? c::hipMemoryTypeDevice
           : space == MemorySpace::array  ? c::hipMemoryTypeArray
                                          : c::hipMemoryTypeUnified;
}

auto copying(const c::HIP_MEMCPY3D *parameters) {
    return [parameters](const std::shared_ptr<Stream> &stream) {
        return parameters ? copy(stream, *parameters, Return::queued) : Status::invalid_value;
    };
}

GivenParameters given(const c::HIP_MEMCPY3D *copy) {
    if (!copy) return nullptr;
    return parameters_of(in_runtime_form(target_of(*copy, space_of), source_of(*copy, space_of),
                                         {copy->WidthInBytes, copy->Height, copy->Depth}));
}

} // namespace

// Nodes in the driver's form: hipDrvGraphAddMemcpyNode() and its neighbours in ROCm/clr. The context only may
// not be null.
Status DrvGraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                             const c::HIP_MEMCPY3D *parameters, c::hipCtx_t context) {
    if (!context) return Status::invalid_value;
    return add_work(node, graph, after, count, copying(parameters), given(parameters));
}

Status DrvGraphMemcpyNodeSetParams(NodeTag *node, const c::HIP_MEMCPY3D *parameters) {
    return set_work(true, nullptr, node, Task::copy, copying(parameters), given(parameters));
}

Status DrvGraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                       const c::HIP_MEMCPY3D *parameters, c::hipCtx_t) {
    return set_work(false, executable, node, Task::copy, copying(parameters), given(parameters));
}

Status DrvGraphMemcpyNodeGetParams(NodeTag *node, c::HIP_MEMCPY3D *parameters) {
    const auto is = asked<Copy3D>(node, Task::copy);
    if (!is || !parameters) return Status::invalid_value;
    give_operands(*is, *parameters, type_of);
    return Status::success;
}

} // namespace pygpu::host::hip
