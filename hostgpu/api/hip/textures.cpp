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

Status CreateTextureObject(c::hipTextureObject_t *object, const c::hipResourceDesc *resource,
                           const c::hipTextureDesc *sampler, const c::hipResourceViewDesc *view) {
    return without_details(create_texture(object, resource, sampler, view));
}

Status DestroyTextureObject(c::hipTextureObject_t object) { return destroy(object, false); }

Status GetTextureObjectResourceDesc(c::hipResourceDesc *resource, c::hipTextureObject_t object) {
    return tell_resource(resource, object);
}

Status GetTextureObjectTextureDesc(c::hipTextureDesc *sampler, c::hipTextureObject_t object) {
    return tell_sampler(sampler, object);
}

Status GetTextureObjectResourceViewDesc(c::hipResourceViewDesc *view, c::hipTextureObject_t object) {
    return tell_view(view, object);
}

Status TexObjectCreate(c::hipTextureObject_t *object, const c::HIP_RESOURCE_DESC *resource,
                       const c::HIP_TEXTURE_DESC *sampler, const c::HIP_RESOURCE_VIEW_DESC *view) {
    return without_details(create_texture(object, resource, sampler, view));
}

Status TexObjectDestroy(c::hipTextureObject_t object) { return destroy(object, false); }

Status TexObjectGetResourceDesc(c::HIP_RESOURCE_DESC *resource, c::hipTextureObject_t object) {
    return tell_resource(resource, object);
}

Status TexObjectGetTextureDesc(c::HIP_TEXTURE_DESC *sampler, c::hipTextureObject_t object) {
    return tell_sampler(sampler, object);
}

Status TexObjectGetResourceViewDesc(c::HIP_RESOURCE_VIEW_DESC *view, c::hipTextureObject_t object) {
    return tell_view(view, object);
}

Status CreateSurfaceObject(c::hipSurfaceObject_t *object, const c::hipResourceDesc *resource) {
    return without_details(create_surface(object, resource));
}

Status DestroySurfaceObject(c::hipSurfaceObject_t object) { return destroy(object, true); }

} // namespace pygpu::host::hip
