// Textures and surfaces as instructions see them: texels in memory, and how they are read.
#pragma once

#include "memory/address_range.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace pygpu::host {

// The texels of a level.
struct MipLevel {
    std::uintptr_t base = 0;
    std::size_t extent[3] = {1, 1, 1}; // texels; the third is the layers of a layered array
    std::size_t pitch = 0, slice = 0;  // bytes
};

// What a texture or surface object stands for.
struct Texture {
    enum class Layout : std::uint8_t { linear, pitched, array };
    enum class Texel : std::uint8_t { integer, natural, real };
    // `seam`: beyond the edge of a cube's face lies the next face.
    enum class Address : std::uint8_t { wrap, clamp, mirror, border, seam };

    // ---- the texels
    std::vector<MipLevel> levels{1}; // from the most detailed one on
    AddressRange range;              // of the memory that they lie in
    Layout layout = Layout::linear;
    unsigned dimensions = 1; // without layers
    bool layered = false;    // a cube's faces are layers
    bool cube = false;
    Texel texel = Texel::natural;
    unsigned bits = 32, channels = 1;

    // ---- the sampler
    std::array<Address, 3> address{Address::clamp, Address::clamp, Address::clamp};
    bool filtered = false;    // linear filtering, else the nearest texel
    bool normalized = false;  // coordinates are 0 to 1
    bool as_fraction = false; // integers become 0 to 1, or -1 to 1
    std::array<float, 4> border{};
    bool mixes_levels = false; // linear filtering between them, else the nearest level
    float level_bias = 0, least_level = 0, most_level = 0;

    std::shared_ptr<const void> held; // the memory

    const MipLevel &base_level() const { return levels.front(); }
    std::size_t texel_bytes() const { return std::size_t{bits} / 8 * channels; }
    std::size_t layers() const { return layered ? base_level().extent[2] : 1; }
};

// Where a texture is read. As many coordinates count as the texture has dimensions; a cube's are a direction
// until the face is found.
struct SamplePoint {
    float at[3] = {};
    std::size_t layer = 0;
    double level = -HUGE_VAL; // of detail; 0 is the most detailed one. By default the first that may be read
};

// How much coordinates change from a pixel to its neighbours in x and in y.
struct Gradients {
    float by_x[3] = {}, by_y[3] = {};
    bool leaves_face = false; // a neighbour meets another face of a cube
};

} // namespace pygpu::host
