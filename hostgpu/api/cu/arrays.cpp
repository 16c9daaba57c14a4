// The driver API's arrays.
#include "api/cu/implemented.hpp"
#include "api/descriptors.hpp"
#include "api/find.hpp"
#include "image/formats.hpp"

namespace pygpu::host::cu {
namespace {

Status create(ArrayTag **array, const Extent &extent, c::CUarray_format format, unsigned count,
              unsigned flags) {
    Channels channels{};
    if (!channels_of(static_cast<int>(format), count, channels)) return Status::invalid_value;
    return Malloc3DArray(array, &channels, extent, flags);
}

} // namespace

Status ArrayCreate(ArrayTag **array, const c::CUDA_ARRAY_DESCRIPTOR *wanted) {
    if (!array || !wanted) return Status::invalid_value;
    return create(array, {wanted->Width, wanted->Height, 0}, wanted->Format, wanted->NumChannels, 0);
}

Status Array3DCreate(ArrayTag **array, const c::CUDA_ARRAY3D_DESCRIPTOR *wanted) {
    if (!array || !wanted) return Status::invalid_value;
    return create(array, {wanted->Width, wanted->Height, wanted->Depth}, wanted->Format, wanted->NumChannels,
                  wanted->Flags);
}

Status ArrayDestroy(ArrayTag *array) { return array ? FreeArray(array) : Status::invalid_resource_handle; }

Status MipmappedArrayCreate(MipmapTag **mipmap, const c::CUDA_ARRAY3D_DESCRIPTOR *wanted, unsigned levels) {
    Channels channels{};
    if (!mipmap || !wanted || !channels_of(static_cast<int>(wanted->Format), wanted->NumChannels, channels))
        return Status::invalid_value;
    const Extent extent{wanted->Width, wanted->Height, wanted->Depth};
    return MallocMipmappedArray(mipmap, &channels, extent, levels, wanted->Flags);
}

Status MipmappedArrayDestroy(MipmapTag *mipmap) {
    return mipmap ? FreeMipmappedArray(mipmap) : Status::invalid_resource_handle;
}

} // namespace pygpu::host::cu
