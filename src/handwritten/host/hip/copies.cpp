// HIP's copies by parameters as a driver takes them: positions in bytes, each end host, device or array.
// Checks: ihipMemcpyParam3D() of hipamd/src/hip_memory.cpp of ROCm/clr.
#include "host/hip/implemented.hpp"

#include "hip_runtime/enumerators.hpp"
#include "host/api/copies_3d.hpp"
#include "host/api/find.hpp"
#include "host/hip/translate.hpp"

namespace pygpu::host::hip {
namespace {

struct Operand {
    c::hipMemoryType type;
    const void *host;
    void *device;
    ArrayTag *array;
    std::size_t x, y, z, pitch, height;
};

Status block_of(const Operand &end, const Size &size, Block &block) {
    if (end.type == c::hipMemoryTypeArray) {
        const auto array = find_array(end.array);
        if (!array) return Status::invalid_value;
        const Size all = array->size();
        if (!lie_within(end.x, size.width, all.width) || !lie_within(end.y, size.height, all.height) ||
            !lie_within(end.z, size.depth, all.depth))
            return Status::invalid_value;
        block = array->block();
    } else {
        const bool host = end.type == c::hipMemoryTypeHost;
        const bool known = host || end.type == c::hipMemoryTypeDevice || end.type == c::hipMemoryTypeUnified;
        const void *base = host ? end.host : end.device;
        const std::size_t pitch = end.pitch ? end.pitch : (CheckedInt(end.x) + size.width).saturated();
        if (!known || !base || !lie_within(end.x, size.width, pitch)) return Status::invalid_value;
        block = flat(base);
        block.pitch = pitch;
        block.slice =
            (CheckedInt(end.height ? end.height : CheckedInt(end.y) + size.height) * pitch).saturated();
    }
    return begin_at({end.x, end.y, end.z}, block);
}

int kind_of(const Operand &to, const Operand &from) {
    if (to.type == c::hipMemoryTypeUnified || from.type == c::hipMemoryTypeUnified) return by_address;
    const bool to_host = to.type == c::hipMemoryTypeHost;
    if (from.type == c::hipMemoryTypeHost) return to_host ? host_to_host : host_to_device;
    return to_host ? device_to_host : device_to_device;
}

Status copy(const std::shared_ptr<Stream> &stream, const c::HIP_MEMCPY3D &given, Return when) {
    const Size size{given.WidthInBytes, given.Height, given.Depth};
    if (size.empty()) return Status::success;
    const Operand to{given.dstMemoryType, given.dstHost,     given.dstDevice,
                     as(given.dstArray),  given.dstXInBytes, given.dstY,
                     given.dstZ,          given.dstPitch,    given.dstHeight};
    const Operand from{given.srcMemoryType, given.srcHost,     given.srcDevice,
                       as(given.srcArray),  given.srcXInBytes, given.srcY,
                       given.srcZ,          given.srcPitch,    given.srcHeight};
    Block target{}, source{};
    Status status = block_of(from, size, source);
    if (status == Status::success) status = block_of(to, size, target);
    if (status != Status::success) return status;
    return transfer(stream, target, source, size, kind_of(to, from), when);
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

Status DrvMemcpy2DUnaligned(const c::hip_Memcpy2D *given) { return MemcpyParam2D(given); }

} // namespace pygpu::host::hip
