// Reading textures.
#pragma once

#include "image/texture.hpp"

namespace pygpu::host {

// Four results of 32 bits: integers, or floats. Channels that the texture hasn't got are 0.
using Sample = std::array<std::uint32_t, 4>;

// The level of detail that suits gradients.
double level_of(const Texture &texture, const Gradients &gradients);

// What a texture has at a point. False where the texels aren't in memory that may be read: `wrong` is then
// the address.
bool sample(const Texture &texture, const SamplePoint &point, Sample &result, std::uintptr_t &wrong);

// A texel of linear memory by its number; zeros beyond its end.
bool fetch(const Texture &texture, std::int64_t number, Sample &result, std::uintptr_t &wrong);

// A channel of the four texels that filtering would mix, counterclockwise from the lower left (PTX ISA,
// "tld4").
bool gather(const Texture &texture, const SamplePoint &point, unsigned channel, Sample &result,
            std::uintptr_t &wrong);

} // namespace pygpu::host
