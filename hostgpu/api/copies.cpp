// Flat and pitched copies and sets.
#include "api/api.hpp"
#include "api/find.hpp"
#include "api/transfer.hpp"
#include "device/device.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::api {
namespace {

StridedBlock pitched(const void *base, std::size_t pitch, std::size_t height = 1) {
    return {static_cast<char *>(const_cast<void *>(base)), pitch, (CheckedInt(pitch) * height).saturated()};
}

Status copy_2d(const std::shared_ptr<Stream> &stream, void *to, std::size_t to_pitch, const void *from,
               std::size_t from_pitch, std::size_t width, std::size_t height, int kind, Return when) {
    if (!width || !height) return Status::success;
    if (width > to_pitch || width > from_pitch)
        return height > 1 ? Status::invalid_pitch_value : Status::invalid_value;
    return transfer(stream, pitched(to, to_pitch, height), pitched(from, from_pitch, height),
                    {width, height, 1}, kind, when);
}

Status set_2d(const std::shared_ptr<Stream> &stream, const StridedBlock &to, const Size &size, int value,
              Return when) {
    if (!size.empty() && (size.height > 1 || size.depth > 1) && size.width > to.pitch)
        return Status::invalid_value;
    return set(stream, to, size, static_cast<unsigned>(value) & 0xff, 1, when);
}

} // namespace

Status Memcpy(void *to, const void *from, std::size_t count, int kind) {
    return transfer(stream_of(nullptr), flat(to), flat(from), {count, 1, 1}, kind, Return::after_host);
}

Status MemcpyAsync(void *to, const void *from, std::size_t count, int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return transfer(on, flat(to), flat(from), {count, 1, 1}, kind, Return::queued);
}

Status Memcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                std::size_t height, int kind) {
    return copy_2d(stream_of(nullptr), to, to_pitch, from, from_pitch, width, height, kind,
                   Return::after_host);
}

Status Memcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return copy_2d(on, to, to_pitch, from, from_pitch, width, height, kind, Return::queued);
}

Status MemcpyPeer(void *to, int to_device, const void *from, int from_device, std::size_t count) {
    if (!is_device(to_device) || !is_device(from_device)) return Status::invalid_device;
    const auto on = stream_of(nullptr);
    return in_line_with(on, to_device, from_device, [&] {
        return transfer(on, flat(to), flat(from), {count, 1, 1}, device_to_device, Return::after_host);
    });
}

Status MemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, std::size_t count,
                       StreamTag *stream) {
    if (!is_device(to_device) || !is_device(from_device)) return Status::invalid_device;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return transfer(on, flat(to), flat(from), {count, 1, 1}, device_to_device, Return::queued);
}

Status Memset(void *pointer, int value, std::size_t count) {
    return set_2d(stream_of(nullptr), flat(pointer), {count, 1, 1}, value, Return::after_host);
}

Status MemsetAsync(void *pointer, int value, std::size_t count, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return set_2d(on, flat(pointer), {count, 1, 1}, value, Return::queued);
}

Status Memset2D(void *pointer, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return set_2d(stream_of(nullptr), pitched(pointer, pitch, height), {width, height, 1}, value,
                  Return::after_host);
}

Status Memset2DAsync(void *pointer, std::size_t pitch, int value, std::size_t width, std::size_t height,
                     StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return set_2d(on, pitched(pointer, pitch, height), {width, height, 1}, value, Return::queued);
}

Status Memset3D(Pitched pointer, int value, Extent extent) {
    return set_2d(stream_of(nullptr), pitched(pointer.ptr, pointer.pitch, pointer.ysize),
                  {extent.width, extent.height, extent.depth}, value, Return::after_host);
}

Status Memset3DAsync(Pitched pointer, int value, Extent extent, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return set_2d(on, pitched(pointer.ptr, pointer.pitch, pointer.ysize),
                  {extent.width, extent.height, extent.depth}, value, Return::queued);
}

} // namespace pygpu::host::api
