// HIP's own forms of flat copies, and its own checks of all copies that CUDA has, too:
// hipamd/src/hip_memory.cpp of ROCm/clr, as of ROCm 6.
#include "api/hip/transfers.hpp"

#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "device/device.hpp"
#include "hip_runtime/enumerators.hpp"
#include "streams/by_handle.hpp"

#include <climits>

namespace pygpu::host::hip {

int plain(int kind) {
    return kind == static_cast<int>(c::hipMemcpyDeviceToDeviceNoCU) ? static_cast<int>(device_to_device)
                                                                    : kind;
}

namespace {

// ihipMemcpy(): the direction counts only where neither end is known.
Status flat_copy(const std::shared_ptr<Stream> &stream, void *to, const void *from, std::size_t count,
                 int kind, Return when) {
    if (!count) return Status::success;
    if (!to || !from) return Status::invalid_value;
    if (!is_copy_kind(plain(kind))) return Status::invalid_memcpy_direction;
    const bool known = memory_at(to) || memory_at(from);
    const int counts = known ? by_address : plain(kind);
    return transfer(stream, flat(to), flat(from), {count, 1, 1}, counts, when, kind);
}

// hipMemcpy2DValidateParams(): this comes first, and a stale stream is an invalid value.
Status check_2d(int kind, StreamTag *stream = nullptr) {
    if (!is_copy_kind(plain(kind))) return Status::invalid_memcpy_direction;
    return find_stream(stream) ? Status::success : Status::invalid_value;
}

// hipMemcpy2DValidateBuffer()
Status check_rows(const void *memory, std::size_t pitch, std::size_t width) {
    if (!memory) return Status::invalid_value;
    return !pitch || pitch < width ? Status::invalid_pitch_value : Status::success;
}

// hipMemcpy2DValidateArray()
Status check_part(const ArrayTag *handle, std::size_t x, std::size_t y, std::size_t width,
                  std::size_t height) {
    const auto array = find_array(handle);
    if (!array) return gone_array(handle);
    const Size all = array->size();
    return lie_within(x, width, all.width) && lie_within(y, height, all.height) ? Status::success
                                                                                : Status::invalid_value;
}

// The first that is no success.
template <class... Statuses> Status first_of(Statuses... statuses) {
    Status status = Status::success;
    ((status = status == Status::success ? statuses : status), ...);
    return status;
}

// A row that is longer than the pitch is an error even if it is the only one.
Status check_pitches(std::size_t to, std::size_t from, std::size_t width, std::size_t height) {
    const bool empty = !width || !height;
    return !empty && (width > to || width > from) ? Status::invalid_pitch_value : Status::success;
}

} // namespace

// ihipMemcpy3D_validate()
Status check_3d(const Copy3D &copy) {
    const Pitched &from = copy.src_ptr, &to = copy.dst_ptr;
    if (!copy.src_array == !from.ptr || !copy.dst_array == !to.ptr)
        return Status::invalid_value; // exactly one of the two
    if (from.pitch < from.xsize || to.pitch < to.xsize) return Status::invalid_pitch_value;
    if (from.pitch >= INT_MAX || to.pitch >= INT_MAX) return Status::invalid_value;
    if (!copy.src_array && !copy.dst_array &&
        (!lie_within(copy.src_pos.x, copy.extent.width, from.pitch) ||
         !lie_within(copy.dst_pos.x, copy.extent.width, to.pitch)))
        return Status::invalid_value;
    return is_copy_kind(plain(static_cast<int>(copy.kind))) ? Status::success
                                                            : Status::invalid_memcpy_direction;
}

Copy3D with_plain_kind(Copy3D copy) {
    copy.kind = static_cast<unsigned>(plain(static_cast<int>(copy.kind)));
    return copy;
}

Status copy_now(void *to, const void *from, std::size_t count, int kind) {
    return flat_copy(stream_of(nullptr), to, from, count, kind, Return::after_host);
}

Status copy_on(void *to, const void *from, std::size_t count, int kind, StreamTag *stream) {
    if (!is_copy_kind(plain(kind))) return Status::invalid_memcpy_direction;
    const auto on = find_stream(stream);
    return on ? flat_copy(on, to, from, count, kind, Return::queued) : gone_stream(stream);
}

Status MemcpyWithStream(void *to, const void *from, std::size_t count, int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const Status status = flat_copy(on, to, from, count, kind, Return::queued);
    return status == Status::success ? StreamSynchronize(stream) : status;
}

Status MemcpyPeer(void *to, int to_device, const void *from, int from_device, std::size_t count) {
    if (!is_device(to_device) || !is_device(from_device)) return Status::invalid_device;
    const auto on = stream_of(nullptr);
    return in_line_with(on, to_device, from_device,
                        [&] { return flat_copy(on, to, from, count, device_to_device, Return::after_host); });
}

Status MemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, std::size_t count,
                       StreamTag *stream) {
    if (!is_device(to_device) || !is_device(from_device)) return Status::invalid_device;
    return copy_on(to, from, count, device_to_device, stream);
}

Status Memcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width,
                std::size_t height, int kind) {
    const Status status = first_of(check_2d(kind), check_pitches(to_pitch, from_pitch, width, height));
    if (status != Status::success) return status;
    return api::Memcpy2D(to, to_pitch, from, from_pitch, width, height, plain(kind));
}

Status Memcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                     std::size_t width, std::size_t height, int kind, StreamTag *stream) {
    const Status status =
        first_of(check_2d(kind, stream), check_pitches(to_pitch, from_pitch, width, height));
    if (status != Status::success) return status;
    return api::Memcpy2DAsync(to, to_pitch, from, from_pitch, width, height, plain(kind), stream);
}

Status Memcpy2DToArray(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                       std::size_t width, std::size_t height, int kind) {
    const Status status =
        first_of(check_2d(kind), check_rows(from, pitch, width), check_part(to, x, y, width, height));
    if (status != Status::success) return status;
    return api::Memcpy2DToArray(to, x, y, from, pitch, width, height, plain(kind));
}

Status Memcpy2DToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                            std::size_t width, std::size_t height, int kind, StreamTag *stream) {
    const Status status =
        first_of(check_2d(kind, stream), check_rows(from, pitch, width), check_part(to, x, y, width, height));
    if (status != Status::success) return status;
    return api::Memcpy2DToArrayAsync(to, x, y, from, pitch, width, height, plain(kind), stream);
}

Status Memcpy2DFromArray(void *to, std::size_t pitch, const ArrayTag *from, std::size_t x, std::size_t y,
                         std::size_t width, std::size_t height, int kind) {
    const Status status =
        first_of(check_2d(kind), check_part(from, x, y, width, height), check_rows(to, pitch, width));
    if (status != Status::success) return status;
    return api::Memcpy2DFromArray(to, pitch, from, x, y, width, height, plain(kind));
}

Status Memcpy2DFromArrayAsync(void *to, std::size_t pitch, const ArrayTag *from, std::size_t x, std::size_t y,
                              std::size_t width, std::size_t height, int kind, StreamTag *stream) {
    const Status status =
        first_of(check_2d(kind, stream), check_part(from, x, y, width, height), check_rows(to, pitch, width));
    if (status != Status::success) return status;
    return api::Memcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, plain(kind), stream);
}

Status Memcpy2DArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                            std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                            int kind) {
    const Status status = first_of(check_2d(kind), check_part(from, from_x, from_y, width, height),
                                   check_part(to, to_x, to_y, width, height));
    if (status != Status::success) return status;
    return api::Memcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, plain(kind));
}

Status MemcpyToArray(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                     int kind) {
    return to ? api::MemcpyToArray(to, x, y, from, count, plain(kind)) : Status::invalid_value;
}

Status MemcpyFromArray(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                       int kind) {
    return from ? api::MemcpyFromArray(to, from, x, y, count, plain(kind)) : Status::invalid_value;
}

Status Memcpy3D(const Copy3D *copy) {
    if (!copy) return Status::invalid_value;
    const Status status = check_3d(*copy);
    if (status != Status::success) return status;
    const Copy3D parameters = with_plain_kind(*copy);
    return api::Memcpy3D(&parameters);
}

Status Memcpy3DAsync(const Copy3D *copy, StreamTag *stream) {
    if (!copy) return Status::invalid_value;
    const Status status = check_3d(*copy);
    if (status != Status::success) return status;
    const Copy3D parameters = with_plain_kind(*copy);
    return api::Memcpy3DAsync(&parameters, stream);
}

} // namespace pygpu::host::hip
