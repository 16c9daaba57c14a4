// HIP's arrays by descriptors of format and channels. Checks:
// hip_memory.cpp and hip_texture.cpp of ROCm/clr's hipamd/src, as of ROCm 6.
#include "api/hip/implemented.hpp"

#include "api/copies_3d.hpp"
#include "api/descriptors.hpp"
#include "api/find.hpp"
#include "image/formats.hpp"

namespace pygpu::host::hip {
namespace {

Status create(ArrayTag **array, const Extent &extent, c::hipArray_Format format, unsigned count,
              unsigned flags) {
    Channels channels{};
    if (!channels_of(static_cast<int>(format), count, channels)) return Status::invalid_value;
    return hip::Malloc3DArray(array, &channels, extent, flags);
}

// HIP calls an invalid value what CUDA calls an invalid channel descriptor.
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

} // namespace pygpu::host::hip
