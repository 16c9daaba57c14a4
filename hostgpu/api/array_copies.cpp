// Copies to and from arrays, and three-dimensional ones.
#include "api/api.hpp"
#include "api/copies_3d.hpp"
#include "api/find.hpp"
#include "api/transfer.hpp"
#include "streams/by_handle.hpp"

#include <cstdint>

namespace pygpu::host {

Status region_of(const Array &array, const Position &at, const Size &size, StridedBlock &block) {
    const Size all = array.size();
    const std::size_t x = at.x * array.element;
    if (at.x > all.width / array.element || !lie_within(x, size.width, all.width) ||
        !lie_within(at.y, size.height, all.height) || !lie_within(at.z, size.depth, all.depth))
        return Status::invalid_value;
    block = array.block();
    block.base += at.z * block.slice + at.y * block.pitch + x;
    return Status::success;
}

Status begin_at(const Position &at, StridedBlock &block) {
    std::size_t offset = 0;
    if (!(CheckedInt(at.z) * block.slice + CheckedInt(at.y) * block.pitch + at.x).fits(offset))
        return Status::invalid_value;
    // An offset beyond the end of known memory is an error. Host memory may continue beyond the part that is
    // registered.
    if (const Memory known = memory_at(block.base); known && known->kind != MemoryKind::registered) {
        const auto left = static_cast<std::size_t>(known->base + known->size - block.base);
        if (offset >= left) return Status::invalid_value;
    }
    block.base += offset;
    return Status::success;
}

Status run_of(const ArrayTag *handle, std::size_t x, std::size_t y, std::size_t count, StridedBlock &block) {
    const auto array = find_array(handle);
    if (!array) return gone_array(handle);
    const Size all = array->size();
    std::size_t first = 0;
    if (!(CheckedInt(y) * all.width + x).fits(first) || !lie_within(first, count, all.width * all.height))
        return Status::invalid_value;
    block = flat(array->block().base + first);
    return Status::success;
}

namespace {

// An end of a 3-D copy that is memory.
Status region_of(const Pitched &memory, const Position &at, const Size &size, StridedBlock &block) {
    if (!memory.ptr) return Status::invalid_value;
    const bool rows = size.height > 1 || size.depth > 1;
    if (rows && size.width > memory.pitch) return Status::invalid_pitch_value;
    if ((rows || memory.pitch) && !lie_within(at.x, size.width, memory.pitch)) return Status::invalid_value;
    block = {static_cast<char *>(memory.ptr), memory.pitch,
             (CheckedInt(memory.pitch) * memory.ysize).saturated()};
    return begin_at(at, block);
}

struct Ends3D {
    std::shared_ptr<Array> array;
    Status status = Status::success;
};

Ends3D array_of(ArrayTag *handle, const Pitched &memory) {
    if (!handle) return {};
    if (memory.ptr) return {nullptr, Status::invalid_value};
    auto array = find_array(handle);
    return {array, array ? Status::success : gone_array(handle)};
}

Status region_2d(const ArrayTag *handle, std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                 StridedBlock &block) {
    const auto array = find_array(handle);
    if (!array) return gone_array(handle);
    const Size all = array->size();
    if (!lie_within(x, width, all.width) || !lie_within(y, height, all.height)) return Status::invalid_value;
    block = array->block();
    block.base += y * block.pitch + x;
    return Status::success;
}

} // namespace

Status copy_3d(const std::shared_ptr<Stream> &stream, const Copy3D &copy, int kind, Return when) {
    const Ends3D to = array_of(copy.dst_array, copy.dst_ptr), from = array_of(copy.src_array, copy.src_ptr);
    if (to.status != Status::success) return to.status;
    if (from.status != Status::success) return from.status;
    // With an array the extent counts its elements, else bytes.
    const std::size_t element = to.array ? to.array->element : from.array ? from.array->element : 1;
    if (to.array && from.array && to.array->element != from.array->element) return Status::invalid_value;
    const std::size_t width = (CheckedInt(copy.extent.width) * element).saturated();
    const Size size{width, copy.extent.height, copy.extent.depth};
    if (size.empty()) return Status::success;
    StridedBlock target{}, source{};
    if (from.array) { // reaching beyond an array comes before errors of pitches
        const Status within = region_of(*from.array, copy.src_pos, size, source);
        if (within != Status::success) return within;
    }
    Status status = to.array ? region_of(*to.array, copy.dst_pos, size, target)
                             : region_of(copy.dst_ptr, copy.dst_pos, size, target);
    if (status == Status::success && !from.array)
        status = region_of(copy.src_ptr, copy.src_pos, size, source);
    if (status != Status::success) return status;
    return transfer(stream, target, source, size, kind, when);
}

namespace api {

Status Memcpy3D(const Copy3D *copy) {
    if (!copy) return Status::invalid_value;
    return copy_3d(stream_of(nullptr), *copy, static_cast<int>(copy->kind), Return::after_host);
}

Status Memcpy3DAsync(const Copy3D *copy, StreamTag *stream) {
    if (!copy) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return copy_3d(on, *copy, static_cast<int>(copy->kind), Return::queued);
}

namespace {

Status to_array(const std::shared_ptr<Stream> &stream, ArrayTag *to, std::size_t x, std::size_t y,
                const void *from, std::size_t pitch, std::size_t width, std::size_t height, int kind,
                Return when) {
    StridedBlock target{};
    if (find_array(to) && width > pitch && height > 1) return Status::invalid_pitch_value;
    const Status status = region_2d(to, x, y, width, height, target);
    if (status != Status::success) return status;
    StridedBlock source = flat(from);
    source.pitch = pitch;
    return transfer(stream, target, source, {width, height, 1}, kind, when);
}

Status from_array(const std::shared_ptr<Stream> &stream, void *to, std::size_t pitch, const ArrayTag *from,
                  std::size_t x, std::size_t y, std::size_t width, std::size_t height, int kind,
                  Return when) {
    StridedBlock source{};
    if (find_array(from) && width > pitch && height > 1) return Status::invalid_pitch_value;
    const Status status = region_2d(from, x, y, width, height, source);
    if (status != Status::success) return status;
    StridedBlock target = flat(to);
    target.pitch = pitch;
    return transfer(stream, target, source, {width, height, 1}, kind, when);
}

} // namespace

Status Memcpy2DToArray(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                       std::size_t width, std::size_t height, int kind) {
    return to_array(stream_of(nullptr), to, x, y, from, pitch, width, height, kind, Return::after_host);
}

Status Memcpy2DToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t pitch,
                            std::size_t width, std::size_t height, int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return to_array(on, to, x, y, from, pitch, width, height, kind, Return::queued);
}

Status Memcpy2DFromArray(void *to, std::size_t pitch, const ArrayTag *from, std::size_t x, std::size_t y,
                         std::size_t width, std::size_t height, int kind) {
    return from_array(stream_of(nullptr), to, pitch, from, x, y, width, height, kind, Return::after_host);
}

Status Memcpy2DFromArrayAsync(void *to, std::size_t pitch, const ArrayTag *from, std::size_t x, std::size_t y,
                              std::size_t width, std::size_t height, int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return from_array(on, to, pitch, from, x, y, width, height, kind, Return::queued);
}

Status Memcpy2DArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                            std::size_t from_x, std::size_t from_y, std::size_t width, std::size_t height,
                            int kind) {
    if (!to) return Status::invalid_value;
    StridedBlock target{}, source{};
    Status status = region_2d(to, to_x, to_y, width, height, target);
    if (status != Status::success) return status;
    status = region_2d(from, from_x, from_y, width, height, source);
    if (status != Status::success) return status;
    return transfer(stream_of(nullptr), target, source, {width, height, 1}, kind, Return::after_host);
}

Status MemcpyToArray(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                     int kind) {
    StridedBlock target{};
    const Status status = run_of(to, x, y, count, target);
    if (status != Status::success) return status;
    return transfer(stream_of(nullptr), target, flat(from), {count, 1, 1}, kind, Return::after_host);
}

Status MemcpyFromArray(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                       int kind) {
    StridedBlock source{};
    const Status status = run_of(from, x, y, count, source);
    if (status != Status::success) return status;
    return transfer(stream_of(nullptr), flat(to), source, {count, 1, 1}, kind, Return::after_host);
}

} // namespace api
} // namespace pygpu::host
