// HIP's copies in the drivers' form: positions are in bytes, and each end is host memory, device memory or an
// array. Checks: ihipMemcpyParam3D() of hipamd/src/hip_memory.cpp of ROCm/clr.
#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "api/hip/translate.hpp"
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
    const Operand to{space_of(parameters.dstMemoryType),
                     parameters.dstHost,
                     parameters.dstDevice,
                     as(parameters.dstArray),
                     parameters.dstXInBytes,
                     parameters.dstY,
                     parameters.dstZ,
                     parameters.dstPitch,
                     parameters.dstHeight};
    const Operand from{space_of(parameters.srcMemoryType),
                       parameters.srcHost,
                       parameters.srcDevice,
                       as(parameters.srcArray),
                       parameters.srcXInBytes,
                       parameters.srcY,
                       parameters.srcZ,
                       parameters.srcPitch,
                       parameters.srcHeight};
    return copy_operands(stream, to, from, {parameters.WidthInBytes, parameters.Height, parameters.Depth},
                         when);
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

} // namespace pygpu::host::hip
