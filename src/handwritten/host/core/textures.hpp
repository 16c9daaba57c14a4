// Texture and surface objects: what they stand for, behind handles.
#pragma once

#include "host/api/types.hpp"
#include "host/core/allocation.hpp"
#include "host/core/handles.hpp"
#include "host/ptx/texture.hpp"

namespace pygpu::host {

// What the vendors' descriptors say. Enumerators have the numbers that all APIs give them.
enum ResourceKind { array_resource, mipmapped_resource, linear_resource, pitched_resource };

struct Resource {
    int kind;
    ArrayTag *array;
    void *pointer;
    Channels channels;
    std::size_t bytes;                // of linear memory
    std::size_t width, height, pitch; // of pitched memory
};

struct Sampling {
    int address[3];
    int filter;
    bool as_fraction; // integers are read as fractions
    bool normalized;  // coordinates are fractions
    bool srgb;
    float border[4];
    unsigned anisotropy;
    int level_filter;
    float level_bias, least_level, most_level;
};

struct TextureObject {
    Resource resource;
    Sampling sampling; // of a texture
    bool surface;
    int device;
    unsigned long long context;
    Memory array;         // that it was made of; null for other memory
    ptx::Texture texture; // without a range: that is known when a kernel reads it
};

Handles<TextureObject> &texture_objects();
void forget_texture_objects(unsigned long long context);

// For a launch: null, and why, for a handle that is none, or whose memory is gone.
std::shared_ptr<const ptx::Texture> usable_texture(std::uint64_t handle, bool surface, const char *&why);

} // namespace pygpu::host
