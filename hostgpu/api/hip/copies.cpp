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

Place place_of(c::hipMemoryType type) {
    switch (type) {
    case c::hipMemoryTypeHost:
        return Place::host;
    case c::hipMemoryTypeDevice:
        return Place::device;
    case c::hipMemoryTypeArray:
        return Place::array;
    case c::hipMemoryTypeUnified:
        return Place::either;
    default:
        return Place::nowhere;
    }
}

Status copy(const std::shared_ptr<Stream> &stream, const c::HIP_MEMCPY3D &given, Return when) {
    const Operand to{place_of(given.dstMemoryType),
                     given.dstHost,
                     given.dstDevice,
                     as(given.dstArray),
                     given.dstXInBytes,
                     given.dstY,
                     given.dstZ,
                     given.dstPitch,
                     given.dstHeight};
    const Operand from{place_of(given.srcMemoryType),
                       given.srcHost,
                       given.srcDevice,
                       as(given.srcArray),
                       given.srcXInBytes,
                       given.srcY,
                       given.srcZ,
                       given.srcPitch,
                       given.srcHeight};
    return copy_operands(stream, to, from, {given.WidthInBytes, given.Height, given.Depth}, when);
}

c::HIP_MEMCPY3D of_one_slice(const c::hip_Memcpy2D &given) {
    c::HIP_MEMCPY3D copy{};
    copy.srcXInBytes = given.srcXInBytes;
    copy.srcY = given.srcY;
    copy.srcMemoryType = given.srcMemoryType;
    copy.srcHost = given.srcHost;
    copy.srcDevice = given.srcDevice;
    copy.srcArray = given.srcArray;
    copy.srcPitch = given.srcPitch;
    copy.dstXInBytes = given.dstXInBytes;
    copy.dstY = given.dstY;
    copy.dstMemoryType = given.dstMemoryType;
    copy.dstHost = given.dstHost;
    copy.dstDevice = given.dstDevice;
    copy.dstArray = given.dstArray;
    copy.dstPitch = given.dstPitch;
    copy.WidthInBytes = given.WidthInBytes;
    copy.Height = given.Height;
    copy.Depth = 1;
    return copy;
}

} // namespace

Status DrvMemcpy3D(const c::HIP_MEMCPY3D *given) {
    return given ? copy(stream_of(nullptr), *given, Return::after_host) : Status::invalid_value;
}

Status DrvMemcpy3DAsync(const c::HIP_MEMCPY3D *given, StreamTag *stream) {
    if (!given) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? copy(on, *given, Return::queued) : gone_stream(stream);
}

Status MemcpyParam2D(const c::hip_Memcpy2D *given) {
    return given ? copy(stream_of(nullptr), of_one_slice(*given), Return::after_host) : Status::invalid_value;
}

Status MemcpyParam2DAsync(const c::hip_Memcpy2D *given, StreamTag *stream) {
    if (!given) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? copy(on, of_one_slice(*given), Return::queued) : gone_stream(stream);
}

} // namespace pygpu::host::hip
