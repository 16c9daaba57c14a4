// HIP's arrays by descriptors of format and channels, and copies of bytes in a row of them. Checks:
// hip_memory.cpp and hip_texture.cpp of ROCm/clr's hipamd/src, as of ROCm 6.
#include "host/hip/implemented.hpp"

#include "host/api/copies_3d.hpp"
#include "host/api/find.hpp"
#include "host/api/formats.hpp"

namespace pygpu::host::hip {
namespace {

Status create(ArrayTag **array, const Extent &extent, c::hipArray_Format format, unsigned count,
              unsigned flags) {
    Channels channels{};
    if (!channels_of(static_cast<int>(format), count, channels)) return Status::invalid_value;
    return hip::Malloc3DArray(array, &channels, extent, flags);
}

// Bytes of an array's first row; no array is an invalid value here.
Status row_of(const ArrayTag *handle, std::size_t offset, std::size_t count, Block &block) {
    const auto array = find_array(handle);
    if (!array) return Status::invalid_value;
    if (!lie_within(offset, count, array->size().width)) return Status::invalid_value;
    return run_of(handle, offset, 0, count, block);
}

// A copy between two blocks, each memory or a row of an array.
Status copy(const std::shared_ptr<Stream> &stream, Status of_ends, const Block &to, const Block &from,
            std::size_t count, int kind, Return when) {
    return of_ends == Status::success ? transfer(stream, to, from, {count, 1, 1}, kind, when) : of_ends;
}

Status from_row(const std::shared_ptr<Stream> &stream, void *to, const ArrayTag *from, std::size_t offset,
                std::size_t count, int kind, Return when) {
    Block source{};
    return copy(stream, row_of(from, offset, count, source), flat(to), source, count, kind, when);
}

Status to_row(const std::shared_ptr<Stream> &stream, const ArrayTag *to, std::size_t offset, const void *from,
              std::size_t count, int kind, Return when) {
    Block target{};
    return copy(stream, row_of(to, offset, count, target), target, flat(from), count, kind, when);
}

// What CUDA calls an invalid channel descriptor, and cubemaps, are invalid values.
Status without_descriptors(Status status) {
    return status == Status::invalid_channel_descriptor ? Status::invalid_value : status;
}

constexpr unsigned cubemap = 4;

} // namespace

Status ArrayCreate(ArrayTag **array, const c::HIP_ARRAY_DESCRIPTOR *wanted) {
    if (!array || !wanted) return Status::invalid_value;
    return create(array, {wanted->Width, wanted->Height, 0}, wanted->Format, wanted->NumChannels, 0);
}

Status Array3DCreate(ArrayTag **array, const c::HIP_ARRAY3D_DESCRIPTOR *wanted) {
    if (!array || !wanted) return Status::invalid_value;
    return create(array, {wanted->Width, wanted->Height, wanted->Depth}, wanted->Format, wanted->NumChannels,
                  wanted->Flags);
}

Status MallocArray(ArrayTag **array, const Channels *channels, std::size_t width, std::size_t height,
                   unsigned flags) {
    return Malloc3DArray(array, channels, {width, height, 0}, flags);
}

Status Malloc3DArray(ArrayTag **array, const Channels *channels, Extent extent, unsigned flags) {
    if (flags & cubemap) return Status::invalid_value;
    return without_descriptors(api::Malloc3DArray(array, channels, extent, flags));
}

Status GetChannelDesc(Channels *channels, const ArrayTag *array) {
    return channels && array ? api::GetChannelDesc(channels, array) : Status::invalid_value;
}

Status ArrayDestroy(ArrayTag *array) { return FreeArray(array); }

Status ArrayGetDescriptor(c::HIP_ARRAY_DESCRIPTOR *descriptor, ArrayTag *array) {
    const auto found = find_array(array);
    if (!found) return gone_array(array);
    if (!descriptor) return Status::invalid_value;
    *descriptor = {found->extent.width, found->extent.height,
                   static_cast<c::hipArray_Format>(format_of(found->channels)), count_of(found->channels)};
    return Status::success;
}

Status Array3DGetDescriptor(c::HIP_ARRAY3D_DESCRIPTOR *descriptor, ArrayTag *array) {
    const auto found = find_array(array);
    if (!found) return gone_array(array);
    if (!descriptor) return Status::invalid_value;
    *descriptor = {found->extent.width,       found->extent.height,
                   found->extent.depth,       static_cast<c::hipArray_Format>(format_of(found->channels)),
                   count_of(found->channels), found->flags};
    return Status::success;
}

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
    Block target{}, source{};
    Status status = row_of(to, to_offset, count, target);
    if (status == Status::success) status = row_of(from, from_offset, count, source);
    return copy(stream_of(nullptr), status, target, source, count, device_to_device, Return::after_host);
}

} // namespace pygpu::host::hip
