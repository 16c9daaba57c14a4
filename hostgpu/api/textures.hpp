// Making texture and surface objects of what the vendors' descriptors say.
#pragma once

#include "base/report.hpp"
#include "base/status.hpp"
#include "image/formats.hpp"
#include "image/texture_objects.hpp"

namespace pygpu::host {

// Makes a texture object. The codes are those of CUDA's runtime, which has the most. Drivers accept linear
// filtering of integers, and read the nearest texel; the runtimes refuse it, so they check `strictly`. With a
// null view the resource is seen as it is.
Status create_texture(void *&handle, const Resource &resource, const Sampling &sampling, const View *view,
                      bool strictly);
// The same without a handle.
Status make_texture(const Resource &resource, const Sampling &sampling, const View *view,
                    TextureObject &texture_object);
Status create_surface(void *&handle, const Resource &resource);
// Waits for the device's work first. False if the handle was none.
bool destroy_texture(const void *handle, bool surface);
// Null, with a report in strict mode, where there is no such object.
std::shared_ptr<TextureObject> find_texture(const void *handle, bool surface);
// The channels of an array, or of other memory.
Channels channels_in(const Resource &resource);

// ---- Conversions between the vendors' structs and ours. The vendors' have two forms: the runtimes' form,
// and the drivers' form, with formats in place of channels, and with flags.
template <class Theirs>
concept OfDriver = requires(const Theirs &from) { from.res.array.hArray; };
template <class Theirs>
concept SamplerOfDriver = requires(const Theirs &from) { from.flags; };
// CUDA's runtime; HIP's has no such fields.
template <class Theirs>
concept HasSeams = requires(const Theirs &from) { from.seamlessCubemap; };

// False for a format that no texture has.
template <class Theirs> bool resource_of(const Theirs &from, Resource &resource) {
    resource = {static_cast<int>(from.resType), nullptr, nullptr, {}, 0, 0, 0, 0};
    switch (resource.kind) {
    case array_resource:
        resource.array = reinterpret_cast<ArrayTag *>(from.res.array.array);
        break;
    case mipmapped_resource:
        resource.mipmap = reinterpret_cast<MipmapTag *>(from.res.mipmap.mipmap);
        break;
    case linear_resource:
        resource.pointer = from.res.linear.devPtr;
        resource.channels = __builtin_bit_cast(Channels, from.res.linear.desc);
        resource.bytes = from.res.linear.sizeInBytes;
        break;
    case pitched_resource:
        resource.pointer = from.res.pitch2D.devPtr;
        resource.channels = __builtin_bit_cast(Channels, from.res.pitch2D.desc);
        resource.width = from.res.pitch2D.width;
        resource.height = from.res.pitch2D.height;
        resource.pitch = from.res.pitch2D.pitchInBytes;
        break;
    default:
        break;
    }
    return true;
}

template <class Theirs> void copy_out(const Resource &from, Theirs &to) {
    to = {};
    to.resType = static_cast<decltype(to.resType)>(from.kind);
    if (from.kind == array_resource) {
        to.res.array.array = reinterpret_cast<decltype(to.res.array.array)>(from.array);
    } else if (from.kind == mipmapped_resource) {
        to.res.mipmap.mipmap = reinterpret_cast<decltype(to.res.mipmap.mipmap)>(from.mipmap);
    } else if (from.kind == linear_resource) {
        to.res.linear.devPtr = from.pointer;
        to.res.linear.desc = __builtin_bit_cast(decltype(to.res.linear.desc), from.channels);
        to.res.linear.sizeInBytes = from.bytes;
    } else {
        to.res.pitch2D.devPtr = from.pointer;
        to.res.pitch2D.desc = __builtin_bit_cast(decltype(to.res.pitch2D.desc), from.channels);
        to.res.pitch2D.width = from.width;
        to.res.pitch2D.height = from.height;
        to.res.pitch2D.pitchInBytes = from.pitch;
    }
}

// What all samplers have under the same names.
template <class Theirs> Sampling common_of(const Theirs &from) {
    Sampling sampling{};
    for (int k = 0; k < 3; ++k) sampling.address[k] = static_cast<int>(from.addressMode[k]);
    sampling.filter = static_cast<int>(from.filterMode);
    for (int k = 0; k < 4; ++k) sampling.border[k] = from.borderColor[k];
    sampling.anisotropy = from.maxAnisotropy;
    sampling.level_filter = static_cast<int>(from.mipmapFilterMode);
    sampling.level_bias = from.mipmapLevelBias;
    sampling.least_level = from.minMipmapLevelClamp;
    sampling.most_level = from.maxMipmapLevelClamp;
    return sampling;
}

template <class Theirs> void copy_out_common(const Sampling &from, Theirs &to) {
    to = {};
    for (int k = 0; k < 3; ++k)
        to.addressMode[k] =
            static_cast<std::remove_reference_t<decltype(to.addressMode[k])>>(from.address[k]);
    to.filterMode = static_cast<decltype(to.filterMode)>(from.filter);
    for (int k = 0; k < 4; ++k) to.borderColor[k] = from.border[k];
    to.maxAnisotropy = from.anisotropy;
    to.mipmapFilterMode = static_cast<decltype(to.mipmapFilterMode)>(from.level_filter);
    to.mipmapLevelBias = from.level_bias;
    to.minMipmapLevelClamp = from.least_level;
    to.maxMipmapLevelClamp = from.most_level;
}

template <class Theirs> Sampling sampling_of(const Theirs &from, const Channels &) {
    Sampling sampling = common_of(from);
    sampling.as_fraction = static_cast<int>(from.readMode) == 1;
    sampling.normalized = from.normalizedCoords;
    sampling.srgb = from.sRGB;
    if constexpr (HasSeams<Theirs>) {
        sampling.seamless = from.seamlessCubemap;
        sampling.fully_trilinear = from.disableTrilinearOptimization;
    }
    return sampling;
}

template <class Theirs> void copy_out(const Sampling &from, Theirs &to) {
    copy_out_common(from, to);
    to.readMode = static_cast<decltype(to.readMode)>(from.as_fraction ? 1 : 0);
    to.normalizedCoords = from.normalized;
    to.sRGB = from.srgb;
    if constexpr (HasSeams<Theirs>) {
        to.seamlessCubemap = from.seamless;
        to.disableTrilinearOptimization = from.fully_trilinear;
    }
}

constexpr unsigned read_as_integer = 1, normalized_coordinates = 2, srgb_flag = 0x10, trilinear_flag = 0x20,
                   seamless_flag = 0x40;

template <OfDriver Theirs> bool resource_of(const Theirs &from, Resource &resource) {
    resource = {static_cast<int>(from.resType), nullptr, nullptr, {}, 0, 0, 0, 0};
    switch (resource.kind) {
    case array_resource:
        resource.array = reinterpret_cast<ArrayTag *>(from.res.array.hArray);
        return true;
    case mipmapped_resource:
        resource.mipmap = reinterpret_cast<MipmapTag *>(from.res.mipmap.hMipmappedArray);
        return true;
    case linear_resource:
        resource.pointer = reinterpret_cast<void *>(from.res.linear.devPtr);
        resource.bytes = from.res.linear.sizeInBytes;
        return channels_of(static_cast<int>(from.res.linear.format), from.res.linear.numChannels,
                           resource.channels);
    case pitched_resource:
        resource.pointer = reinterpret_cast<void *>(from.res.pitch2D.devPtr);
        resource.width = from.res.pitch2D.width;
        resource.height = from.res.pitch2D.height;
        resource.pitch = from.res.pitch2D.pitchInBytes;
        return channels_of(static_cast<int>(from.res.pitch2D.format), from.res.pitch2D.numChannels,
                           resource.channels);
    default:
        return true;
    }
}

template <OfDriver Theirs> void copy_out(const Resource &from, Theirs &to) {
    to = {};
    to.resType = static_cast<decltype(to.resType)>(from.kind);
    const int format = format_of(from.channels);
    if (from.kind == array_resource) {
        to.res.array.hArray = reinterpret_cast<decltype(to.res.array.hArray)>(from.array);
    } else if (from.kind == mipmapped_resource) {
        to.res.mipmap.hMipmappedArray =
            reinterpret_cast<decltype(to.res.mipmap.hMipmappedArray)>(from.mipmap);
    } else if (from.kind == linear_resource) {
        to.res.linear.devPtr = reinterpret_cast<decltype(to.res.linear.devPtr)>(from.pointer);
        to.res.linear.format = static_cast<decltype(to.res.linear.format)>(format);
        to.res.linear.numChannels = count_of(from.channels);
        to.res.linear.sizeInBytes = from.bytes;
    } else {
        to.res.pitch2D.devPtr = reinterpret_cast<decltype(to.res.pitch2D.devPtr)>(from.pointer);
        to.res.pitch2D.format = static_cast<decltype(to.res.pitch2D.format)>(format);
        to.res.pitch2D.numChannels = count_of(from.channels);
        to.res.pitch2D.width = from.width;
        to.res.pitch2D.height = from.height;
        to.res.pitch2D.pitchInBytes = from.pitch;
    }
}

// What a driver's flags say of a sampler of these channels.
void set_flags(Sampling &sampling, unsigned flags, const Channels &channels);

template <SamplerOfDriver Theirs> Sampling sampling_of(const Theirs &from, const Channels &channels) {
    Sampling sampling = common_of(from);
    set_flags(sampling, from.flags, channels);
    return sampling;
}

template <SamplerOfDriver Theirs> void copy_out(const Sampling &from, Theirs &to) {
    copy_out_common(from, to);
    to.flags = (from.as_fraction ? 0 : read_as_integer) | (from.normalized ? normalized_coordinates : 0) |
               (from.srgb ? srgb_flag : 0) | (from.fully_trilinear ? trilinear_flag : 0) |
               (from.seamless ? seamless_flag : 0);
}

// ---- Views are the same everywhere.
template <class Theirs> View view_of(const Theirs &from) {
    return {static_cast<int>(from.format), from.width,           from.height,     from.depth,
            from.firstMipmapLevel,         from.lastMipmapLevel, from.firstLayer, from.lastLayer};
}

template <class Theirs> void copy_out(const View &from, Theirs &to) {
    to = {};
    to.format = static_cast<decltype(to.format)>(from.format);
    to.width = from.width;
    to.height = from.height;
    to.depth = from.depth;
    to.firstMipmapLevel = from.first_level;
    to.lastMipmapLevel = from.last_level;
    to.firstLayer = from.first_layer;
    to.lastLayer = from.last_layer;
}

// ---- the functions, for handles that are numbers or pointers
template <class Object> const void *address_of(Object object) {
    return reinterpret_cast<const void *>(reinterpret_cast<std::uintptr_t>(object));
}
inline const void *address_of(unsigned long long object) { return reinterpret_cast<const void *>(object); }

template <class Object, class Theirs, class Sampler, class TheirView>
Status create_texture(Object *object, const Theirs *resource, const Sampler *sampler, const TheirView *view) {
    if (!object || !resource || !sampler) return Status::invalid_value;
    Resource from;
    if (!resource_of(*resource, from)) return Status::invalid_value;
    const View seen = view ? view_of(*view) : View{};
    void *handle = nullptr;
    const Status status = create_texture(handle, from, sampling_of(*sampler, channels_in(from)),
                                         view ? &seen : nullptr, !SamplerOfDriver<Sampler>);
    if (status == Status::success) *object = (Object)handle; // NOLINT: a pointer, or a number
    return status;
}

template <class Object, class Theirs> Status create_surface(Object *object, const Theirs *resource) {
    if (!object || !resource) return Status::invalid_value;
    Resource from;
    if (!resource_of(*resource, from)) return Status::invalid_value;
    void *handle = nullptr;
    const Status status = create_surface(handle, from);
    if (status == Status::success) *object = (Object)handle; // NOLINT: a pointer, or a number
    return status;
}

// CUDA's runtime has detailed codes; the other APIs return invalid_value for all of them.
inline Status without_details(Status status) {
    switch (status) {
    case Status::invalid_resource_handle:
    case Status::invalid_channel_descriptor:
    case Status::invalid_filter_setting:
    case Status::invalid_norm_setting:
        return Status::invalid_value;
    default:
        return status;
    }
}

namespace api {

template <class Object, class Theirs>
Status GetTextureObjectResourceDesc(Theirs *to, Object object, bool surface = false) {
    const auto texture = to ? find_texture(address_of(object), surface) : nullptr;
    if (!texture) return Status::invalid_value;
    copy_out(texture->resource, *to);
    return Status::success;
}

template <class Object, class Theirs> Status GetSurfaceObjectResourceDesc(Theirs *to, Object object) {
    return GetTextureObjectResourceDesc(to, object, true);
}

template <class Object, class Theirs> Status GetTextureObjectTextureDesc(Theirs *to, Object object) {
    const auto texture = to ? find_texture(address_of(object), false) : nullptr;
    if (!texture) return Status::invalid_value;
    copy_out(texture->sampling, *to);
    return Status::success;
}

// All zeros where the texture has no view.
template <class Object, class Theirs> Status GetTextureObjectResourceViewDesc(Theirs *to, Object object) {
    const auto texture = to ? find_texture(address_of(object), false) : nullptr;
    if (!texture) return Status::invalid_value;
    copy_out(texture->view, *to);
    return Status::success;
}

template <class Object, class Theirs, class Sampler, class TheirView>
Status CreateTextureObject(Object *object, const Theirs *resource, const Sampler *sampler,
                           const TheirView *view) {
    return without_details(create_texture(object, resource, sampler, view));
}
template <class Object, class Theirs> Status CreateSurfaceObject(Object *object, const Theirs *resource) {
    return without_details(create_surface(object, resource));
}

// These succeed whatever the handle is.
template <class Object> Status DestroyTextureObject(Object object) {
    if (object) destroy_texture(address_of(object), false);
    return Status::success;
}
template <class Object> Status DestroySurfaceObject(Object object) {
    if (object) destroy_texture(address_of(object), true);
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
