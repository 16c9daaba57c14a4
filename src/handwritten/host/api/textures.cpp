// Checks of resources and samplers. Codes: what an H200 answers.
#include "host/api/textures.hpp"

#include "host/api/arrays.hpp"
#include "host/api/find.hpp"
#include "host/core/context.hpp"
#include "host/core/facts.hpp"

#include <algorithm>

namespace pygpu::host {
namespace {

constexpr std::size_t most_linear = std::size_t{1} << 28; // texels of linear memory
constexpr unsigned layered_flag = 1;
constexpr int point_filter = 0, linear_filter = 1, border_mode = 3;

// Of a channel description that a texture can have.
bool describe(const Channels &channels, ptx::Texture &made) {
    const bool real = channels.kind == float_channels;
    if (!element_bytes(channels) || channels.kind > float_channels || (real && channels.x == 8)) return false;
    made.texel = real                                 ? ptx::Texture::Texel::real
                 : channels.kind == unsigned_channels ? ptx::Texture::Texel::natural
                                                      : ptx::Texture::Texel::integer;
    made.bits = static_cast<unsigned>(channels.x);
    made.channels = count_of(channels);
    return true;
}

Status of_array(const Resource &resource, TextureObject &made) {
    const auto array = find_array(resource.array);
    if (!array) return gone_array(resource.array);
    ptx::Texture &texture = made.texture;
    if (!describe(array->channels, texture)) return Status::invalid_channel_descriptor;
    const Extent &extent = array->extent;
    const Block block = array->block();
    made.array = array->memory;
    texture.base = reinterpret_cast<std::uintptr_t>(block.base);
    texture.layout = ptx::Texture::Layout::array;
    texture.layered = array->flags & layered_flag;
    texture.pitch = block.pitch;
    texture.slice = block.slice;
    texture.extent[0] = extent.width;
    texture.extent[1] = std::max<std::size_t>(extent.height, 1);
    texture.extent[2] = std::max<std::size_t>(extent.depth, 1);
    texture.dimensions = extent.depth && !texture.layered ? 3 : extent.height ? 2 : 1;
    return Status::success;
}

Status of_memory(const Resource &resource, ptx::Texture &texture) {
    if (!describe(resource.channels, texture)) return Status::invalid_channel_descriptor;
    const std::size_t element = texture.texel_bytes();
    texture.base = reinterpret_cast<std::uintptr_t>(resource.pointer);
    if (!texture.base || texture.base % static_cast<std::size_t>(facts().alignment))
        return Status::invalid_value;
    if (resource.kind == linear_resource) {
        texture.layout = ptx::Texture::Layout::linear;
        texture.extent[0] = resource.bytes / element;
        return texture.extent[0] > most_linear ? Status::invalid_value : Status::success;
    }
    const auto most = static_cast<std::size_t>(facts().texture_2d);
    if (resource.width > most || resource.height > most ||
        resource.pitch % static_cast<std::size_t>(facts().pitch_alignment))
        return Status::invalid_value;
    texture.layout = ptx::Texture::Layout::pitched;
    texture.dimensions = 2;
    texture.pitch = resource.pitch;
    texture.extent[0] = std::max<std::size_t>(resource.width, 1);
    texture.extent[1] = std::max<std::size_t>(resource.height, 1);
    return Status::success;
}

Status with_sampler(const Sampling &sampling, ptx::Texture &texture) {
    if (sampling.filter != point_filter && sampling.filter != linear_filter) return Status::invalid_value;
    if (sampling.srgb) {
        report_once("textures in sRGB aren't supported");
        return Status::not_supported;
    }
    for (unsigned k = 0; k < 3; ++k) {
        if (sampling.address[k] < 0 || sampling.address[k] > border_mode) return Status::invalid_value;
        texture.address[k] = static_cast<ptx::Texture::Address>(sampling.address[k]);
    }
    const bool real = texture.texel == ptx::Texture::Texel::real;
    texture.filtered = sampling.filter == linear_filter && (real || sampling.as_fraction);
    texture.normalized = sampling.normalized;
    texture.as_fraction = sampling.as_fraction;
    std::copy_n(sampling.border, 4, texture.border.begin());
    return Status::success;
}

// What integers of 32 bits and floats can't be, and what can't be mixed.
Status check_reading(const Sampling &sampling, const ptx::Texture &texture) {
    const bool real = texture.texel == ptx::Texture::Texel::real;
    if (sampling.as_fraction && (real || texture.bits == 32)) return Status::invalid_norm_setting;
    if (sampling.filter == linear_filter && !real && !sampling.as_fraction)
        return Status::invalid_filter_setting;
    return Status::success;
}

Status enter(TextureObject &object, void *&handle) {
    object.device = current_device().number;
    object.context = context_for(object.device);
    handle = texture_objects().add(std::make_shared<TextureObject>(object));
    return Status::success;
}

} // namespace

Channels channels_in(const Resource &resource) {
    if (resource.kind != array_resource) return resource.channels;
    const auto array = arrays().find(resource.array);
    return array ? array->channels : Channels{};
}

void set_flags(Sampling &sampling, unsigned flags, const Channels &channels) {
    const bool whole = channels.kind != float_channels;
    sampling.as_fraction = whole && channels.x <= 16 && !(flags & read_as_integer);
    sampling.normalized = flags & normalized_coordinates;
    sampling.srgb = flags & srgb_flag;
}

Status make_texture(const Resource &resource, const Sampling &sampling, TextureObject &made) {
    made = {resource, sampling, false, 0, 0, nullptr, {}};
    Status status = Status::invalid_value;
    if (resource.kind == array_resource)
        status = of_array(resource, made);
    else if (resource.kind == mipmapped_resource) // no mipmapped array can be made
        status = Status::invalid_resource_handle;
    else if (resource.kind == linear_resource || resource.kind == pitched_resource)
        status = of_memory(resource, made.texture);
    return status == Status::success ? with_sampler(sampling, made.texture) : status;
}

Status create_texture(void *&handle, const Resource &resource, const Sampling &sampling, bool strictly) {
    TextureObject made;
    Status status = make_texture(resource, sampling, made);
    if (status == Status::success && strictly) status = check_reading(sampling, made.texture);
    return status == Status::success ? enter(made, handle) : status;
}

Status create_surface(void *&handle, const Resource &resource) {
    TextureObject made{resource, {}, true, 0, 0, nullptr, {}};
    if (resource.kind != array_resource) {
        const bool described = describe(resource.channels, made.texture);
        return described ? Status::invalid_value : Status::invalid_channel_descriptor;
    }
    const Status status = of_array(resource, made);
    return status == Status::success ? enter(made, handle) : status;
}

std::shared_ptr<TextureObject> find_texture(const void *handle, bool surface) {
    auto found = texture_objects().find(handle);
    if (found && found->surface == surface) return found;
    report_misuse(surface ? "no surface object, or one that was destroyed"
                          : "no texture object, or one that was destroyed",
                  handle);
    return nullptr;
}

bool destroy_texture(const void *handle, bool surface) {
    const auto found = find_texture(handle, surface);
    if (!found) return false;
    synchronize(found->device);
    return texture_objects().remove(handle) != nullptr;
}

} // namespace pygpu::host
