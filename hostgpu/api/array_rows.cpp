// Copies of bytes in a row of an array.
#include "api/api.hpp"
#include "api/copies_3d.hpp"
#include "api/find.hpp"
#include "base/call.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::api {
namespace {

// Bytes of an array's first row. A null array is an invalid value. So is a destroyed array for HIP.
Status row_of(const ArrayTag *handle, std::size_t offset, std::size_t count, StridedBlock &block) {
    const auto array = find_array(handle);
    if (!array && (!handle || current_vendor() == Vendor::hip)) return Status::invalid_value;
    if (!array) return gone_array(handle);
    if (!lie_within(offset, count, array->size().width)) return Status::invalid_value;
    return run_of(handle, offset, 0, count, block);
}

// A copy between two blocks, each memory or a row of an array.
Status copy(const std::shared_ptr<Stream> &stream, Status of_ends, const StridedBlock &to,
            const StridedBlock &from, std::size_t count, int kind, Return when) {
    return of_ends == Status::success ? transfer(stream, to, from, {count, 1, 1}, kind, when) : of_ends;
}

Status from_row(const std::shared_ptr<Stream> &stream, void *to, const ArrayTag *from, std::size_t offset,
                std::size_t count, int kind, Return when) {
    StridedBlock source{};
    return copy(stream, row_of(from, offset, count, source), flat(to), source, count, kind, when);
}

Status to_row(const std::shared_ptr<Stream> &stream, const ArrayTag *to, std::size_t offset, const void *from,
              std::size_t count, int kind, Return when) {
    StridedBlock target{};
    return copy(stream, row_of(to, offset, count, target), target, flat(from), count, kind, when);
}

} // namespace

Status MemcpyAtoH(void *to, ArrayTag *from, std::size_t offset, std::size_t count) {
    return from_row(stream_of(nullptr), to, from, offset, count, device_to_host, Return::after_host);
}

Status MemcpyAtoHAsync(void *to, ArrayTag *from, std::size_t offset, std::size_t count, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return from_row(on, to, from, offset, count, device_to_host, Return::queued);
}

Status MemcpyAtoD(void *to, ArrayTag *from, std::size_t offset, std::size_t count) {
    return from_row(stream_of(nullptr), to, from, offset, count, device_to_device, Return::after_host);
}

Status MemcpyHtoA(ArrayTag *to, std::size_t offset, const void *from, std::size_t count) {
    return to_row(stream_of(nullptr), to, offset, from, count, host_to_device, Return::after_host);
}

Status MemcpyHtoAAsync(ArrayTag *to, std::size_t offset, const void *from, std::size_t count,
                       StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return to_row(on, to, offset, from, count, host_to_device, Return::queued);
}

Status MemcpyDtoA(ArrayTag *to, std::size_t offset, void *from, std::size_t count) {
    return to_row(stream_of(nullptr), to, offset, from, count, device_to_device, Return::after_host);
}

Status MemcpyAtoA(ArrayTag *to, std::size_t to_offset, ArrayTag *from, std::size_t from_offset,
                  std::size_t count) {
    StridedBlock target{}, source{};
    Status status = row_of(to, to_offset, count, target);
    if (status == Status::success) status = row_of(from, from_offset, count, source);
    return copy(stream_of(nullptr), status, target, source, count, device_to_device, Return::after_host);
}

} // namespace pygpu::host::api
