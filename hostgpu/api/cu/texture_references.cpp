// Texture references, which compilers before CUDA 12 made. What is set counts for launches that start later.
#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "api/find.hpp"
#include "api/textures.hpp"
#include "base/context.hpp"
#include "code/modules.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "streams/stream.hpp"

#include <algorithm>

namespace pygpu::host::cu {
namespace {

constexpr unsigned override_format = 1, reference_flags = 0x33;
constexpr int dimensions = 3;

// Changes what a reference says, after the device's work, and binds it anew.
template <class Change> Status set(c::CUtexref handle, Change change) {
    const auto texture_reference = texture_references().find(handle);
    if (!texture_reference) return Status::invalid_resource_handle;
    synchronize(texture_reference->device);
    const Status status = change(*texture_reference);
    if (status != Status::success) return status;
    set_flags(texture_reference->sampling, texture_reference->flags,
              channels_in(texture_reference->resource));
    auto object = std::make_shared<TextureObject>();
    const bool fits = make_texture(texture_reference->resource, texture_reference->sampling, nullptr,
                                   *object) == Status::success;
    texture_reference->bind(fits ? std::move(object) : nullptr);
    return Status::success;
}

template <class Value, class Get> Status copy_out(Value *to, c::CUtexref handle, Get get) {
    if (!to) return Status::invalid_value;
    const auto texture_reference = texture_references().find(handle);
    if (!texture_reference) return Status::invalid_resource_handle;
    return get(*texture_reference);
}

} // namespace

Status ModuleGetTexRef(c::CUtexref *reference, ModuleTag *module, const char *name) {
    if (!reference || !name) return Status::invalid_value;
    const auto object = modules().find(module);
    if (!object) return Status::invalid_resource_handle;
    void *const handle = object->texture_reference(name);
    if (!handle) return Status::not_found;
    *reference = static_cast<c::CUtexref>(handle);
    return Status::success;
}

Status TexRefCreate(c::CUtexref *reference) {
    if (!reference) return Status::invalid_value;
    const int device = current_device().number;
    const auto texture_reference = std::make_shared<TextureReference>(device, context_for(device));
    *reference = static_cast<c::CUtexref>(texture_references().add(texture_reference));
    return Status::success;
}

Status TexRefDestroy(c::CUtexref reference) {
    return texture_references().remove(reference) ? Status::success : Status::invalid_resource_handle;
}

Status TexRefSetArray(c::CUtexref reference, ArrayTag *array, unsigned flags) {
    if (flags & ~override_format) return Status::invalid_value;
    if (!find_array(array)) return gone_array(array);
    return set(reference, [&](TextureReference &one) {
        one.resource.kind = array_resource;
        one.resource.array = array;
        one.resource.channels = channels_in(one.resource);
        return Status::success;
    });
}

// The texture starts at an aligned address, `offset` bytes before the given one.
Status TexRefSetAddress(std::size_t *offset, c::CUtexref reference, void *address, std::size_t bytes) {
    const std::size_t before =
        reinterpret_cast<std::uintptr_t>(address) % static_cast<std::size_t>(facts().alignment);
    if (!offset && before) return Status::invalid_value;
    if (offset) *offset = before;
    return set(reference, [&](TextureReference &one) {
        one.resource.kind = linear_resource;
        one.resource.pointer = static_cast<char *>(address) - before;
        one.resource.bytes = bytes + before;
        return Status::success;
    });
}

Status TexRefSetAddress2D(c::CUtexref reference, const c::CUDA_ARRAY_DESCRIPTOR *wanted, void *address,
                          std::size_t pitch) {
    if (!wanted) return Status::invalid_value;
    Resource resource{pitched_resource, nullptr, address, {}, 0, wanted->Width, wanted->Height, pitch};
    if (!channels_of(static_cast<int>(wanted->Format), wanted->NumChannels, resource.channels))
        return Status::invalid_value;
    TextureObject tried;
    if (make_texture(resource, {}, nullptr, tried) != Status::success) return Status::invalid_value;
    return set(reference, [&](TextureReference &one) {
        one.resource = resource;
        return Status::success;
    });
}

Status TexRefSetFormat(c::CUtexref reference, int format, int count) {
    Channels channels{};
    if (!channels_of(format, static_cast<unsigned>(count), channels)) return Status::invalid_value;
    return set(reference, [&](TextureReference &one) {
        one.resource.channels = channels;
        return Status::success;
    });
}

// Accepts any mode, as a card does: the use of the texture refuses unknown modes.
Status TexRefSetAddressMode(c::CUtexref reference, int dimension, int mode) {
    if (dimension < 0 || dimension >= dimensions) return Status::invalid_value;
    return set(reference, [&](TextureReference &one) {
        one.sampling.address[dimension] = mode;
        return Status::success;
    });
}

Status TexRefSetFilterMode(c::CUtexref reference, int mode) {
    return set(reference, [&](TextureReference &one) {
        one.sampling.filter = mode;
        return Status::success;
    });
}

Status TexRefSetFlags(c::CUtexref reference, unsigned flags) {
    if (flags & ~reference_flags) return Status::invalid_value;
    return set(reference, [&](TextureReference &one) {
        one.flags = flags;
        return Status::success;
    });
}

Status TexRefSetBorderColor(c::CUtexref reference, float *colour) {
    if (!colour) return Status::invalid_value;
    return set(reference, [&](TextureReference &one) {
        std::copy_n(colour, 4, one.sampling.border);
        return Status::success;
    });
}

Status TexRefSetMipmappedArray(c::CUtexref reference, MipmapTag *mipmap, unsigned flags) {
    if (flags & ~override_format) return Status::invalid_value;
    if (!find_mipmapped(mipmap)) return gone_array(mipmap);
    return set(reference, [&](TextureReference &one) {
        one.resource.kind = mipmapped_resource;
        one.resource.mipmap = mipmap;
        one.resource.channels = channels_in(one.resource);
        return Status::success;
    });
}

Status TexRefSetMipmapFilterMode(c::CUtexref reference, int mode) {
    return set(reference, [&](TextureReference &one) {
        one.sampling.level_filter = mode;
        return Status::success;
    });
}

Status TexRefSetMipmapLevelBias(c::CUtexref reference, float bias) {
    return set(reference, [&](TextureReference &one) {
        one.sampling.level_bias = bias;
        return Status::success;
    });
}

Status TexRefSetMipmapLevelClamp(c::CUtexref reference, float least, float most) {
    return set(reference, [&](TextureReference &one) {
        one.sampling.least_level = least;
        one.sampling.most_level = most;
        return Status::success;
    });
}

Status TexRefSetMaxAnisotropy(c::CUtexref reference, unsigned most) {
    return set(reference, [&](TextureReference &one) {
        one.sampling.anisotropy = most;
        return Status::success;
    });
}

Status TexRefGetMipmappedArray(MipmapTag **mipmap, c::CUtexref reference) {
    return copy_out(mipmap, reference, [&](const TextureReference &one) {
        if (one.resource.kind != mipmapped_resource) return Status::invalid_value;
        *mipmap = one.resource.mipmap;
        return Status::success;
    });
}

Status TexRefGetMipmapFilterMode(int *mode, c::CUtexref reference) {
    return copy_out(mode, reference, [&](const TextureReference &one) {
        *mode = one.sampling.level_filter;
        return Status::success;
    });
}

Status TexRefGetMipmapLevelBias(float *bias, c::CUtexref reference) {
    return copy_out(bias, reference, [&](const TextureReference &one) {
        *bias = one.sampling.level_bias;
        return Status::success;
    });
}

Status TexRefGetMipmapLevelClamp(float *least, float *most, c::CUtexref reference) {
    if (!most) return Status::invalid_value;
    return copy_out(least, reference, [&](const TextureReference &one) {
        *least = one.sampling.least_level;
        *most = one.sampling.most_level;
        return Status::success;
    });
}

Status TexRefGetMaxAnisotropy(int *most, c::CUtexref reference) {
    return copy_out(most, reference, [&](const TextureReference &one) {
        *most = static_cast<int>(one.sampling.anisotropy);
        return Status::success;
    });
}

Status TexRefGetAddress(void **address, c::CUtexref reference) {
    return copy_out(address, reference, [&](const TextureReference &one) {
        if (one.resource.kind != linear_resource && one.resource.kind != pitched_resource)
            return Status::invalid_value;
        *address = one.resource.pointer;
        return Status::success;
    });
}

Status TexRefGetArray(ArrayTag **array, c::CUtexref reference) {
    return copy_out(array, reference, [&](const TextureReference &one) {
        if (one.resource.kind != array_resource) return Status::invalid_value;
        *array = one.resource.array;
        return Status::success;
    });
}

Status TexRefGetFormat(int *format, int *count, c::CUtexref reference) {
    return copy_out(format, reference, [&](const TextureReference &one) {
        *format = format_of(one.resource.channels);
        if (count) *count = static_cast<int>(count_of(one.resource.channels));
        return Status::success;
    });
}

Status TexRefGetAddressMode(int *mode, c::CUtexref reference, int dimension) {
    if (dimension < 0 || dimension >= dimensions) return Status::invalid_value;
    return copy_out(mode, reference, [&](const TextureReference &one) {
        *mode = one.sampling.address[dimension];
        return Status::success;
    });
}

Status TexRefGetFilterMode(int *mode, c::CUtexref reference) {
    return copy_out(mode, reference, [&](const TextureReference &one) {
        *mode = one.sampling.filter;
        return Status::success;
    });
}

Status TexRefGetFlags(unsigned *flags, c::CUtexref reference) {
    return copy_out(flags, reference, [&](const TextureReference &one) {
        *flags = one.flags;
        return Status::success;
    });
}

Status TexRefGetBorderColor(float *colour, c::CUtexref reference) {
    return copy_out(colour, reference, [&](const TextureReference &one) {
        std::copy_n(one.sampling.border, 4, colour);
        return Status::success;
    });
}

} // namespace pygpu::host::cu
