// HIP's mipmapped arrays. AMD's runtime refuses them on Linux: devices there lack the extension that
// ihipMipmapArrayCreate asks for (hip_memory.cpp of ROCm/clr's hipamd/src, as of ROCm 6; hip-tests say the
// same). Its earlier checks come first here, too.
#include "api/hip/implemented.hpp"

#include "image/formats.hpp"

namespace pygpu::host::hip {

Status MallocMipmappedArray(MipmapTag **mipmap, const Channels *channels, Extent, unsigned, unsigned) {
    if (!mipmap || !channels || !element_bytes(*channels)) return Status::invalid_value;
    return Status::not_supported;
}

Status MipmappedArrayCreate(MipmapTag **, c::HIP_ARRAY3D_DESCRIPTOR *, unsigned) {
    return Status::not_supported;
}

// There are none.
Status FreeMipmappedArray(MipmapTag *) { return Status::invalid_value; }

Status GetMipmappedArrayLevel(ArrayTag **array, const MipmapTag *mipmap, unsigned) {
    return array && !mipmap ? Status::invalid_resource_handle : Status::invalid_value;
}

} // namespace pygpu::host::hip
