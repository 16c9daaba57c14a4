// Checks of resources and samplers. Codes: what an H200 and an H100 answer.
#include "api/textures.hpp"

#include "api/find.hpp"
#include "base/context.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "image/array.hpp"
#include "memory/misuse.hpp"
#include "streams/stream.hpp"

#include <algorithm>

namespace pygpu::host {
namespace {

constexpr int point_filter = 0, linear_filter = 1, border_mode = 3;

// False for a channel description that no texture can have.
bool describe(const Channels &channels, Texture &texture) {
    const bool real = channels.kind == float_channels;
    if (!element_bytes(channels)) return false;
    texture.texel = real                                 ? Texture::Texel::real
                    : channels.kind == unsigned_channels ? Texture::Texel::natural
                                                         : Texture::Texel::integer;
    texture.bits = static_cast<unsigned>(channels.x);
    texture.channels = count_of(channels);
    return true;
}

MipLevel level_of(const Array &array) {
    const StridedBlock block = array.block();
    return {reinterpret_cast<std::uintptr_t>(block.base),
            {array.extent.width, std::max<std::size_t>(array.extent.height, 1),
             std::max<std::size_t>(array.extent.depth, 1)},
            block.pitch,
            block.slice};
}

// Describes an array as a texture of one level.
Status of_array(const Array &array, TextureObject &texture_object) {
    Texture &texture = texture_object.texture;
    if (!describe(array.channels, texture)) return Status::invalid_channel_descriptor;
    texture_object.array = array.memory;
    texture.layout = Texture::Layout::array;
    texture.cube = array.flags & cubemap_array;
    texture.layered = array.flags & (layered_array | cubemap_array);
    texture.dimensions = array.extent.depth && !texture.layered ? 3 : array.extent.height ? 2 : 1;
    texture.levels = {level_of(array)};
    return Status::success;
}

Status of_array(const Resource &resource, TextureObject &texture_object) {
    const auto array = find_array(resource.array);
    return array ? of_array(*array, texture_object) : gone_array(resource.array);
}

Status of_mipmap(const Resource &resource, TextureObject &texture_object) {
    const auto mipmap = find_mipmapped(resource.mipmap);
    if (!mipmap) return gone_array(resource.mipmap);
    const Status status = of_array(*mipmap->levels.front().array, texture_object);
    texture_object.texture.levels.clear();
    for (const MipmappedArray::Level &level : mipmap->levels)
        texture_object.texture.levels.push_back(level_of(*level.array));
    return status;
}

Status of_memory(const Resource &resource, Texture &texture) {
    if (!describe(resource.channels, texture)) return Status::invalid_channel_descriptor;
    const std::size_t element = texture.texel_bytes();
    MipLevel &level = texture.levels.front();
    level.base = reinterpret_cast<std::uintptr_t>(resource.pointer);
    if (!level.base || level.base % static_cast<std::size_t>(facts().alignment)) return Status::invalid_value;
    if (resource.kind == linear_resource) {
        texture.layout = Texture::Layout::linear;
        level.extent[0] = resource.bytes / element;
        return level.extent[0] > static_cast<std::size_t>(facts().texture_linear) ? Status::invalid_value
                                                                                  : Status::success;
    }
    const auto most = static_cast<std::size_t>(facts().texture_2d);
    if (resource.width > most || resource.height > most ||
        resource.pitch % static_cast<std::size_t>(facts().pitch_alignment))
        return Status::invalid_value;
    texture.layout = Texture::Layout::pitched;
    texture.dimensions = 2;
    level.pitch = resource.pitch;
    level.extent[0] = std::max<std::size_t>(resource.width, 1);
    level.extent[1] = std::max<std::size_t>(resource.height, 1);
    return Status::success;
}

Status with_sampler(const Sampling &sampling, Texture &texture) {
    if (sampling.filter != point_filter && sampling.filter != linear_filter) return Status::invalid_value;
    if (sampling.srgb) {
        report_once("textures in sRGB aren't supported");
        return Status::not_supported;
    }
    for (unsigned k = 0; k < 3; ++k) {
        if (sampling.address[k] < 0 || sampling.address[k] > border_mode) return Status::invalid_value;
        texture.address[k] = static_cast<Texture::Address>(sampling.address[k]);
    }
    const bool real = texture.texel == Texture::Texel::real;
    texture.filtered = sampling.filter == linear_filter && (real || sampling.as_fraction);
    texture.normalized = sampling.normalized || texture.cube;
    texture.as_fraction = sampling.as_fraction;
    std::copy_n(sampling.border, 4, texture.border.begin());
    return Status::success;
}

// With seamless filtering the next face lies beyond the edge of a face: address modes don't count.
Status with_seams(const Sampling &sampling, Texture &texture) {
    if (!sampling.seamless) return Status::success;
    if (!texture.cube) return Status::invalid_value;
    texture.address.fill(texture.filtered ? Texture::Address::seam : Texture::Address::clamp);
    return Status::success;
}

Status with_levels(const Sampling &sampling, Texture &texture) {
    if (sampling.level_filter != point_filter && sampling.level_filter != linear_filter)
        return Status::invalid_value;
    const bool real = texture.texel == Texture::Texel::real;
    texture.mixes_levels = sampling.level_filter == linear_filter && (real || sampling.as_fraction);
    texture.level_bias = sampling.level_bias;
    texture.least_level = sampling.least_level;
    texture.most_level = sampling.most_level;
    if (sampling.anisotropy > 1) report_once("textures are read as if they had no anisotropy");
    return Status::success;
}

constexpr int float_formats = 19, block_formats = 25, past_formats = 35; // of views

// The channels of a view's format. Formats are numbered in this order: integers of 8, 16 and 32 bits, each
// without and with a sign, then floats of 16 and 32 bits; each with one, two and four channels.
Channels channels_of_view(int format) {
    const int which = (format - 1) / 3, count = 1 << (format - 1) % 3;
    const bool real = format >= float_formats;
    const int bits = real ? (which == 6 ? 16 : 32) : 8 << which / 2;
    const ChannelKind kind = real ? float_channels : which % 2 ? signed_channels : unsigned_channels;
    return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0, kind};
}

// Applies a view, which means nothing for linear memory. A view may name more levels or layers than a
// mipmapped or layered array has. The faces of a single cube are no layers here.
Status with_view(const View &view, bool mipmapped, bool layered, Texture &texture) {
    if (texture.layout == Texture::Layout::linear) return Status::success;
    if (texture.layout != Texture::Layout::array || view.format < 1 || view.format >= past_formats)
        return Status::invalid_value;
    if (view.format >= block_formats) {
        // One block is a texel of unsigned integers: two of 32 bits for BC1 and BC4, else four.
        const bool of_two = view.format == block_formats || view.format == 28 || view.format == 29;
        const bool whole = texture.texel == Texture::Texel::natural;
        if (!whole || texture.texel_bytes() != (of_two ? 8 : 16)) return Status::invalid_value;
        report_once("views of compressed textures aren't supported");
        return Status::not_supported;
    }
    const MipLevel &level = texture.base_level();
    const std::size_t bytes = texture.texel_bytes();
    describe(channels_of_view(view.format), texture);
    if (texture.texel_bytes() != bytes) return Status::invalid_value;
    const auto fits = [](std::size_t wanted, std::size_t has) {
        return std::max<std::size_t>(wanted, 1) == has;
    };
    if (!fits(view.width, level.extent[0]) || !fits(view.height, level.extent[1]) ||
        !fits(view.depth, level.extent[2]))
        return Status::invalid_value;
    const auto last_of = [](std::size_t wanted, std::size_t has, bool ends) {
        return ends ? std::min(wanted, has - 1) : wanted;
    };
    const std::size_t layers = layered ? texture.layers() : 1;
    const std::size_t last_level = last_of(view.last_level, texture.levels.size(), mipmapped),
                      last_layer = last_of(view.last_layer, layers, layered);
    if (view.first_level > last_level || last_level >= texture.levels.size() ||
        view.first_layer > last_layer || last_layer >= layers)
        return Status::invalid_value;
    texture.levels.resize(last_level + 1);
    texture.levels.erase(texture.levels.begin(), texture.levels.begin() + view.first_level);
    if (!layered) return Status::success;
    for (MipLevel &one : texture.levels) {
        one.base += view.first_layer * one.slice;
        one.extent[2] = last_layer - view.first_layer + 1;
    }
    return Status::success;
}

// Integers of 32 bits and floats can't be read as fractions, and integers can't be filtered.
Status check_reading(const Sampling &sampling, const Texture &texture) {
    const bool real = texture.texel == Texture::Texel::real;
    if (sampling.as_fraction && (real || texture.bits == 32)) return Status::invalid_norm_setting;
    if (sampling.filter == linear_filter && !real && !sampling.as_fraction)
        return Status::invalid_filter_setting;
    return Status::success;
}

// The resource's array; of a mipmapped array the first level; null for other memory.
std::shared_ptr<Array> array_in(const Resource &resource) {
    if (resource.kind == array_resource) return arrays().find(resource.array);
    const auto mipmap =
        resource.kind == mipmapped_resource ? mipmapped_arrays().find(resource.mipmap) : nullptr;
    return mipmap ? mipmap->levels.front().array : nullptr;
}

Status enter(TextureObject &object, void *&handle) {
    object.device = current_device().number;
    object.context = context_for(object.device);
    handle = texture_objects().add(std::make_shared<TextureObject>(object));
    return Status::success;
}

} // namespace

Channels channels_in(const Resource &resource) {
    const auto array = array_in(resource);
    return array ? array->channels : resource.channels;
}

void set_flags(Sampling &sampling, unsigned flags, const Channels &channels) {
    const bool whole = channels.kind != float_channels;
    sampling.as_fraction = whole && channels.x <= 16 && !(flags & read_as_integer);
    sampling.normalized = flags & normalized_coordinates;
    sampling.srgb = flags & srgb_flag;
    sampling.fully_trilinear = flags & trilinear_flag;
    sampling.seamless = flags & seamless_flag;
}

Status make_texture(const Resource &resource, const Sampling &sampling, const View *view,
                    TextureObject &texture_object) {
    texture_object = {resource, sampling, view ? *view : View{}, false, 0, 0, nullptr, {}};
    Texture &texture = texture_object.texture;
    Status status = Status::invalid_value;
    if (resource.kind == array_resource)
        status = of_array(resource, texture_object);
    else if (resource.kind == mipmapped_resource)
        status = of_mipmap(resource, texture_object);
    else if (resource.kind == linear_resource || resource.kind == pitched_resource)
        status = of_memory(resource, texture);
    if (status == Status::success && view) {
        const auto array = array_in(resource);
        status = with_view(*view, resource.kind == mipmapped_resource, array && array->flags & layered_array,
                           texture);
    }
    if (status == Status::success) status = with_sampler(sampling, texture);
    if (status == Status::success) status = with_seams(sampling, texture);
    if (status == Status::success && resource.kind == mipmapped_resource)
        status = with_levels(sampling, texture);
    return status;
}

Status create_texture(void *&handle, const Resource &resource, const Sampling &sampling, const View *view,
                      bool strictly) {
    TextureObject texture_object;
    Status status = make_texture(resource, sampling, view, texture_object);
    if (status == Status::success && strictly) status = check_reading(sampling, texture_object.texture);
    return status == Status::success ? enter(texture_object, handle) : status;
}

Status create_surface(void *&handle, const Resource &resource) {
    TextureObject texture_object{resource, {}, {}, true, 0, 0, nullptr, {}};
    if (resource.kind != array_resource) {
        const bool described =
            resource.kind == mipmapped_resource || describe(resource.channels, texture_object.texture);
        return described ? Status::invalid_value : Status::invalid_channel_descriptor;
    }
    const Status status = of_array(resource, texture_object);
    return status == Status::success ? enter(texture_object, handle) : status;
}

std::shared_ptr<TextureObject> find_texture(const void *handle, bool surface) {
    auto texture_object = texture_objects().find(handle);
    if (texture_object && texture_object->surface == surface) return texture_object;
    report_misuse(surface ? "not a surface object, or one that was destroyed"
                          : "not a texture object, or one that was destroyed",
                  handle);
    return nullptr;
}

bool destroy_texture(const void *handle, bool surface) {
    const auto texture = find_texture(handle, surface);
    if (!texture) return false;
    synchronize(texture->device);
    return texture_objects().remove(handle) != nullptr;
}

} // namespace pygpu::host
