// CUDA's texture and surface objects.
#include "api/textures.hpp"

#include "api/cuda/implemented.hpp"

namespace pygpu::host::cuda {

Status CreateTextureObject(c::cudaTextureObject_t *object, const c::cudaResourceDesc *resource,
                           const c::cudaTextureDesc *sampler, const c::cudaResourceViewDesc *view) {
    if (object && resource && !sampler) return Status::invalid_resource_handle; // an H200's answer
    return create_texture(object, resource, sampler, view);
}

// It succeeds whatever the handle is.
Status DestroyTextureObject(c::cudaTextureObject_t object) {
    if (object) destroy_texture(address_of(object), false);
    return Status::success;
}

Status GetTextureObjectResourceDesc(c::cudaResourceDesc *resource, c::cudaTextureObject_t object) {
    return tell_resource(resource, object);
}

Status GetTextureObjectTextureDesc(c::cudaTextureDesc *sampler, c::cudaTextureObject_t object) {
    return tell_sampler(sampler, object);
}

Status GetTextureObjectResourceViewDesc(c::cudaResourceViewDesc *view, c::cudaTextureObject_t object) {
    return tell_view(view, object);
}

Status CreateSurfaceObject(c::cudaSurfaceObject_t *object, const c::cudaResourceDesc *resource) {
    return create_surface(object, resource);
}

Status DestroySurfaceObject(c::cudaSurfaceObject_t object) {
    if (object) destroy_texture(address_of(object), true);
    return Status::success;
}

Status GetSurfaceObjectResourceDesc(c::cudaResourceDesc *resource, c::cudaSurfaceObject_t object) {
    return tell_resource(resource, object, true);
}

} // namespace pygpu::host::cuda
