// Textures and surfaces as instructions see them: texels in memory, and how they are read.
#pragma once

#include "host/ptx/memory.hpp"

#include <array>

namespace pygpu::host::ptx {

// What a texture or surface object stands for.
struct Texture {
    enum class Layout : std::uint8_t { linear, pitched, array };
    enum class Texel : std::uint8_t { integer, natural, real };
    enum class Address : std::uint8_t { wrap, clamp, mirror, border };

    // ---- the texels
    std::uintptr_t base = 0;
    Range range; // of the memory that they lie in
    Layout layout = Layout::linear;
    std::size_t extent[3] = {1, 1, 1}; // texels; what a layered array has in depth are its layers
    unsigned dimensions = 1;           // without layers
    bool layered = false;
    std::size_t pitch = 0, slice = 0; // bytes
    Texel texel = Texel::natural;
    unsigned bits = 32, channels = 1;

    // ---- the sampler
    std::array<Address, 3> address{Address::clamp, Address::clamp, Address::clamp};
    bool filtered = false;    // linear filtering, else the nearest texel
    bool normalized = false;  // coordinates are 0 to 1
    bool as_fraction = false; // integers become 0 to 1, or -1 to 1
    std::array<float, 4> border{};

    std::shared_ptr<const void> held; // the memory

    std::size_t texel_bytes() const { return std::size_t{bits} / 8 * channels; }
    std::size_t layers() const { return layered ? extent[2] : 1; }
};

// Four results of 32 bits: integers, or floats. Channels that the texture hasn't got are 0.
using Sample = std::array<std::uint32_t, 4>;

// What a texture has at a place, which has as many coordinates as its dimensions. False where the texels
// aren't in memory that may be read: `wrong` is then the address.
bool sample(const Texture &texture, const float *at, std::size_t layer, Sample &made, std::uintptr_t &wrong);

// A texel of linear memory by its number; zeros beyond its end.
bool fetch(const Texture &texture, std::int64_t number, Sample &made, std::uintptr_t &wrong);

// A channel of the four texels that filtering would mix, counterclockwise from the lower left (PTX ISA,
// "tld4").
bool gather(const Texture &texture, const float *at, std::size_t layer, unsigned channel, Sample &made,
            std::uintptr_t &wrong);

} // namespace pygpu::host::ptx
