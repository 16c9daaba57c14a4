// HIP's texture and surface objects, of descriptors as in the runtime and as in CUDA's driver. Checks:
// hip_texture.cpp and hip_surface.cpp of ROCm/clr's hipamd/src: every error is an invalid value.
#include "api/textures.hpp"

#include "api/hip/implemented.hpp"

namespace pygpu::host::hip {
namespace {

Status destroy(const void *handle, bool surface) {
    return !handle || destroy_texture(handle, surface) ? Status::success : Status::invalid_value;
}

} // namespace

Status DestroyTextureObject(c::hipTextureObject_t object) { return destroy(object, false); }

Status DestroySurfaceObject(c::hipSurfaceObject_t object) { return destroy(object, true); }

} // namespace pygpu::host::hip
