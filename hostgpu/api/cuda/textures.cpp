// CUDA's texture and surface objects.
#include "api/textures.hpp"

#include "api/cuda/implemented.hpp"

namespace pygpu::host::cuda {

Status CreateTextureObject(c::cudaTextureObject_t *object, const c::cudaResourceDesc *resource,
                           const c::cudaTextureDesc *sampler, const c::cudaResourceViewDesc *view) {
    if (object && resource && !sampler) return Status::invalid_resource_handle; // an H200's answer
    return create_texture(object, resource, sampler, view);
}

Status CreateSurfaceObject(c::cudaSurfaceObject_t *object, const c::cudaResourceDesc *resource) {
    return create_surface(object, resource);
}

} // namespace pygpu::host::cuda
