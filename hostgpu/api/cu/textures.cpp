// The driver API's texture and surface objects.
#include "api/textures.hpp"

#include "api/cu/implemented.hpp"

namespace pygpu::host::cu {

Status TexObjectCreate(c::CUtexObject *object, const c::CUDA_RESOURCE_DESC *resource,
                       const c::CUDA_TEXTURE_DESC *sampler, const c::CUDA_RESOURCE_VIEW_DESC *view) {
    return without_details(create_texture(object, resource, sampler, view));
}

// It succeeds whatever the handle is.
Status TexObjectDestroy(c::CUtexObject object) {
    if (object) destroy_texture(address_of(object), false);
    return Status::success;
}

Status TexObjectGetResourceDesc(c::CUDA_RESOURCE_DESC *resource, c::CUtexObject object) {
    return tell_resource(resource, object);
}

Status TexObjectGetTextureDesc(c::CUDA_TEXTURE_DESC *sampler, c::CUtexObject object) {
    return tell_sampler(sampler, object);
}

Status TexObjectGetResourceViewDesc(c::CUDA_RESOURCE_VIEW_DESC *view, c::CUtexObject object) {
    return tell_view(view, object);
}

Status SurfObjectCreate(c::CUsurfObject *object, const c::CUDA_RESOURCE_DESC *resource) {
    return without_details(create_surface(object, resource));
}

Status SurfObjectDestroy(c::CUsurfObject object) {
    if (object) destroy_texture(address_of(object), true);
    return Status::success;
}

Status SurfObjectGetResourceDesc(c::CUDA_RESOURCE_DESC *resource, c::CUsurfObject object) {
    return tell_resource(resource, object, true);
}

} // namespace pygpu::host::cu
