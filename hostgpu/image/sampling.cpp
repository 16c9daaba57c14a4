// How a texture is read: addressing, filtering and conversion (CUDA C++ Programming Guide, "Texture
// Fetching"). Where the guide leaves something open, it is done as an H200 and an H100 do it.
#include "image/sampling.hpp"

#include "base/small_floats.hpp"
#include "image/cube.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace pygpu::host {
namespace {

constexpr std::int64_t outside = -1;
constexpr int unit = 256; // of weights: 8 bits of fraction

using Address = Texture::Address;

double rounded(double value) { return std::floor(value + 0.5); }

// Wrapping and mirroring are for normalised coordinates; otherwise they clamp.
Address address_of(const Texture &texture, unsigned dimension) {
    const Address mode = texture.address[dimension];
    return texture.normalized || mode == Address::border ? mode : Address::clamp;
}

// The texel that stands for one that may lie beyond the edges.
std::int64_t inside(std::int64_t index, std::int64_t count, Address address) {
    switch (address) {
    case Address::wrap:
        return (index % count + count) % count;
    case Address::mirror: {
        const std::int64_t within = (index % (2 * count) + 2 * count) % (2 * count);
        return within < count ? within : 2 * count - 1 - within;
    }
    case Address::clamp:
        return std::clamp<std::int64_t>(index, 0, count - 1);
    case Address::seam:
        return index;
    default:
        return index >= 0 && index < count ? index : outside;
    }
}

// A coordinate in texels, small enough for an integer. NaN becomes 0.
double in_texels(const Texture &texture, const MipLevel &level, float coordinate, unsigned dimension) {
    double at = coordinate;
    const bool repeats =
        address_of(texture, dimension) == Address::wrap || address_of(texture, dimension) == Address::mirror;
    if (at != at || (repeats && std::isinf(at))) return 0;
    if (repeats && std::fabs(at) >= 0x1p20) at -= 2 * std::floor(at / 2);
    if (texture.normalized) at *= static_cast<double>(level.extent[dimension]);
    return std::clamp(at, -0x1p40, 0x1p40);
}

// Along one dimension: two neighbours, and the weight of the second in 1/256.
struct LinearTap {
    std::int64_t first = 0, second = 0;
    int weight = 0;
};

LinearTap between(const Texture &texture, const MipLevel &level, float coordinate, unsigned dimension) {
    const auto count = static_cast<std::int64_t>(level.extent[dimension]);
    const Address address = address_of(texture, dimension);
    double at = rounded((in_texels(texture, level, coordinate, dimension) - 0.5) * unit);
    if (address == Address::clamp) at = std::clamp(at, 0.0, static_cast<double>(count - 1) * unit);
    const auto place = static_cast<std::int64_t>(at);
    const std::int64_t first = place >> 8;
    return {inside(first, count, address), inside(first + 1, count, address), static_cast<int>(place & 255)};
}

std::int64_t nearest(const Texture &texture, const MipLevel &level, float coordinate, unsigned dimension) {
    const double at = std::floor(in_texels(texture, level, coordinate, dimension));
    return inside(static_cast<std::int64_t>(at), static_cast<std::int64_t>(level.extent[dimension]),
                  address_of(texture, dimension));
}

// ---- weights in 1/256. Each is a whole number, and those of all texels together are `unit`.
int of_product(int a, int b) { return (a * b + unit / 2) / unit; }

// The share of a weight that one of two neighbours gets; `up`: half a unit goes to the second.
int share(int whole, int weight, bool second, bool up) {
    const int of_second = up ? of_product(whole, weight) : whole - of_product(whole, unit - weight);
    return second ? of_second : whole - of_second;
}

// A texel's share of a level's weight: z, x and y divide the weight, in this order.
int weight_of(int whole, const LinearTap (&along)[3], unsigned dimensions, unsigned which) {
    const bool x = which & 1, y = which & 2, z = which & 4;
    if (dimensions > 2) whole = share(whole, along[2].weight, z, false);
    whole = share(whole, along[0].weight, x, true);
    return dimensions > 1 ? share(whole, along[1].weight, y, x) : whole;
}

// An H200 takes a 1-D texture for a picture of one row, and reads it at the row's upper edge: with a border
// there, half of the weight is the border's. Layered 1-D textures are not read so.
unsigned filtered_dimensions(const Texture &texture) {
    const bool has_edge =
        texture.dimensions == 1 && !texture.layered && texture.address[1] == Address::border;
    return has_edge ? 2 : texture.dimensions;
}

// ---- texels
float largest(const Texture &texture) {
    const unsigned bits = texture.texel == Texture::Texel::natural ? texture.bits : texture.bits - 1;
    return static_cast<float>((std::uint64_t{1} << bits) - 1);
}

// The border's colour as a texel would have it.
std::uint32_t border_of(const Texture &texture, unsigned channel) {
    const float border = texture.border[channel];
    if (texture.texel == Texture::Texel::real) {
        const float value = texture.bits == 16 ? Half::widen(Half::narrow(border)) : border;
        return std::bit_cast<std::uint32_t>(value);
    }
    if (!texture.as_fraction) { // as the bits of an integer
        const auto bits = std::bit_cast<std::uint32_t>(border);
        if (texture.bits == 32) return bits;
        const unsigned shift = 32 - texture.bits;
        return texture.texel == Texture::Texel::natural
                   ? bits << shift >> shift
                   : static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << shift) >> shift);
    }
    const double least = texture.texel == Texture::Texel::natural ? 0 : -1;
    const double value = border == border ? std::clamp<double>(border, least, 1) : 0;
    const auto whole = static_cast<std::int32_t>(std::ceil(value * largest(texture) - 0.5));
    return static_cast<std::uint32_t>(whole);
}

// A texel's channels: integers, or floats.
bool read(const Texture &texture, const MipLevel &level, const std::int64_t (&at)[3], Sample &result,
          std::uintptr_t &wrong) {
    result = {};
    if (at[0] == outside || at[1] == outside || at[2] == outside) {
        for (unsigned channel = 0; channel < texture.channels; ++channel)
            result[channel] = border_of(texture, channel);
        return true;
    }
    const std::size_t bytes = texture.bits / 8;
    const std::uintptr_t place = level.base + static_cast<std::uintptr_t>(at[2]) * level.slice +
                                 static_cast<std::uintptr_t>(at[1]) * level.pitch +
                                 static_cast<std::uintptr_t>(at[0]) * texture.texel_bytes();
    if (!texture.range.has(place, texture.texel_bytes())) {
        wrong = place;
        return false;
    }
    for (unsigned channel = 0; channel < texture.channels; ++channel) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const char *>(place) + channel * bytes, bytes);
        if (texture.texel == Texture::Texel::real && texture.bits == 16)
            bits = std::bit_cast<std::uint32_t>(Half::widen(static_cast<std::uint16_t>(bits)));
        if (texture.texel == Texture::Texel::integer && texture.bits < 32) {
            const unsigned shift = 32 - texture.bits;
            bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << shift) >> shift);
        }
        result[channel] = bits;
    }
    return true;
}

double number_of(const Texture &texture, std::uint32_t raw) {
    if (texture.texel == Texture::Texel::real) return std::bit_cast<float>(raw);
    return texture.texel == Texture::Texel::natural ? raw
                                                    : static_cast<double>(static_cast<std::int32_t>(raw));
}

std::uint32_t result_of(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

// A channel of a texel that isn't mixed with others.
std::uint32_t plain_of(const Texture &texture, std::uint32_t raw) {
    if (!texture.as_fraction || texture.texel == Texture::Texel::real) return raw;
    return result_of(std::max(number_of(texture, raw) / static_cast<double>(largest(texture)), -1.0));
}

bool read_plain(const Texture &texture, const MipLevel &level, const std::int64_t (&at)[3], Sample &result,
                std::uintptr_t &wrong) {
    if (!read(texture, level, at, result, wrong)) return false;
    for (unsigned channel = 0; channel < texture.channels; ++channel)
        result[channel] = plain_of(texture, result[channel]);
    return true;
}

// A sum of texels: formats of up to 16 bits have results of 16 bits.
std::uint32_t filtered_of(const Texture &texture, double sum) {
    if (texture.texel == Texture::Texel::real && texture.bits == 16) { // a tie goes away from zero
        const double beyond = std::nextafter(sum, std::copysign(HUGE_VAL, sum));
        return result_of(static_cast<double>(Half::widen(Half::narrow(beyond))));
    }
    if (texture.texel == Texture::Texel::real) return result_of(sum);
    const double most = texture.texel == Texture::Texel::natural ? 65535 : 32767;
    return result_of(std::max(rounded(sum * most / static_cast<double>(largest(texture))) / most, -1.0));
}

// ---- sums of texels, of each channel
struct Sums {
    double of[4] = {};
};

bool add_texel(const Texture &texture, const MipLevel &level, const std::int64_t (&at)[3], int weight,
               Sums &sums, std::uintptr_t &wrong) {
    Sample raw;
    if (!read(texture, level, at, raw, wrong)) return false;
    for (unsigned channel = 0; channel < texture.channels; ++channel)
        sums.of[channel] += weight * number_of(texture, raw[channel]);
    return true;
}

// The same for a cube's texel, which may lie beyond an edge, on the next face. Beyond a corner there is no
// texel: the three texels around the corner share its weight, and this face's gets what rounding leaves.
bool add_over_seam(const Texture &texture, const MipLevel &level, const std::int64_t (&at)[3], int weight,
                   Sums &sums, std::uintptr_t &wrong) {
    if (!weight) return true; // the texel may be infinite
    const auto count = static_cast<std::int64_t>(level.extent[0]);
    const std::int64_t x = std::clamp<std::int64_t>(at[0], 0, count - 1),
                       y = std::clamp<std::int64_t>(at[1], 0, count - 1);
    if (x == at[0] && y == at[1]) return add_texel(texture, level, at, weight, sums, wrong);
    if (x == at[0] || y == at[1]) {
        std::int64_t next[3] = {at[0], at[1], at[2]};
        to_next_face(count, next);
        return add_texel(texture, level, next, weight, sums, wrong);
    }
    const int third = (weight + 1) / 3;
    return add_texel(texture, level, {x, y, at[2]}, weight - 2 * third, sums, wrong) &&
           add_over_seam(texture, level, {at[0], y, at[2]}, third, sums, wrong) &&
           add_over_seam(texture, level, {x, at[1], at[2]}, third, sums, wrong);
}

// Adds what one level has at a point, with the weight `whole`.
bool add_level(const Texture &texture, const MipLevel &level, const SamplePoint &point, int whole, Sums &sums,
               std::uintptr_t &wrong) {
    const auto in_layer = static_cast<std::int64_t>(point.layer);
    if (!texture.filtered) {
        std::int64_t place[3] = {0, 0, in_layer};
        for (unsigned k = 0; k < texture.dimensions; ++k) place[k] = nearest(texture, level, point.at[k], k);
        return add_texel(texture, level, place, whole, sums, wrong);
    }
    const unsigned dimensions = filtered_dimensions(texture);
    const bool seams = texture.address[0] == Address::seam;
    LinearTap along[3];
    along[2].first = in_layer;
    for (unsigned k = 0; k < dimensions; ++k)
        along[k] = between(texture, level, k < texture.dimensions ? point.at[k] : 0, k);
    for (unsigned which = 0; which < 1u << dimensions; ++which) {
        const int weight = weight_of(whole, along, dimensions, which);
        if (!weight) continue; // it may be infinite
        std::int64_t place[3];
        for (unsigned k = 0; k < 3; ++k) place[k] = which >> k & 1 ? along[k].second : along[k].first;
        if (!(seams ? add_over_seam : add_texel)(texture, level, place, weight, sums, wrong)) return false;
    }
    return true;
}

// The levels that a level of detail lies between: the first one's number, and the weight of the next. Its
// parts are cut to steps of 1/256. A `most_level` below `least_level` doesn't count.
LinearTap between_levels(const Texture &texture, double level) {
    const auto in_steps = [](float coordinate) { return std::trunc(static_cast<double>(coordinate) * unit); };
    double at = std::floor(level * unit) + in_steps(texture.level_bias);
    if (at != at) at = 0;
    at = std::max(std::min(at, in_steps(texture.most_level)), in_steps(texture.least_level));
    at = std::clamp(at, 0.0, static_cast<double>(texture.levels.size() - 1) * unit);
    const auto steps = static_cast<std::int64_t>(at);
    if (!texture.mixes_levels) return {(steps + unit / 2) / unit, 0, 0};
    return {steps / unit, 0, static_cast<int>(steps % unit)};
}

// ---- levels of detail of gradients: approximations, as an H100 has them.
using InTexels = std::array<double, 3>;

double length_of(InTexels vector) {
    for (double &one : vector) one = std::fabs(one);
    std::ranges::sort(vector);
    return vector[2] + vector[1] * 11 / 32 + vector[0] / 4;
}

// As if from a table for 8 bits of the fraction. Most of its entries were measured.
double logarithm(double value) {
    if (!(value > 0)) return -HUGE_VAL;
    if (std::isinf(value)) return value;
    int exponent = 0;
    const double entry = std::floor((std::frexp(value, &exponent) * 2 - 1) * unit);
    const double steps = entry > 0 ? std::floor(std::log2(1 + (entry + 0.5) / unit) * unit + 0.47) : 0;
    return exponent - 1 + steps / unit;
}

} // namespace

double level_of(const Texture &texture, const Gradients &gradients) {
    InTexels by_x{}, by_y{}, sum{}, difference{};
    for (unsigned k = 0; k < std::max(texture.dimensions, 2u); ++k) { // a line is one texel high
        const auto size = k < texture.dimensions ? static_cast<double>(texture.base_level().extent[k]) : 1.0;
        by_x[k] = static_cast<double>(gradients.by_x[k]) * size;
        by_y[k] = static_cast<double>(gradients.by_y[k]) * size;
        sum[k] = by_x[k] + by_y[k];
        difference[k] = by_x[k] - by_y[k];
    }
    double most = std::fmax(length_of(by_x), length_of(by_y));
    // The pixel's diagonals, a little shortened.
    if (!gradients.leaves_face)
        most = std::fmax(most, std::fmax(length_of(sum), length_of(difference)) * 11 / 16);
    return logarithm(most);
}

bool sample(const Texture &texture, const SamplePoint &point, Sample &result, std::uintptr_t &wrong) {
    const LinearTap levels = between_levels(texture, point.level);
    const MipLevel &first = texture.levels[static_cast<std::size_t>(levels.first)];
    if (!texture.filtered && !levels.weight) {
        std::int64_t place[3] = {0, 0, static_cast<std::int64_t>(point.layer)};
        for (unsigned k = 0; k < texture.dimensions; ++k) place[k] = nearest(texture, first, point.at[k], k);
        return read_plain(texture, first, place, result, wrong);
    }
    Sums sums;
    if (!add_level(texture, first, point, unit - levels.weight, sums, wrong)) return false;
    if (levels.weight && !add_level(texture, (&first)[1], point, levels.weight, sums, wrong)) return false;
    result = {};
    for (unsigned channel = 0; channel < texture.channels; ++channel)
        result[channel] = filtered_of(texture, sums.of[channel] / unit);
    return true;
}

bool fetch(const Texture &texture, std::int64_t number, Sample &result, std::uintptr_t &wrong) {
    result = {};
    const MipLevel &level = texture.base_level();
    if (number < 0 || number >= static_cast<std::int64_t>(level.extent[0])) return true;
    return read_plain(texture, level, {number, 0, 0}, result, wrong);
}

bool gather(const Texture &texture, const SamplePoint &point, unsigned channel, Sample &result,
            std::uintptr_t &wrong) {
    const MipLevel &level = texture.base_level();
    const LinearTap x = between(texture, level, point.at[0], 0), y = between(texture, level, point.at[1], 1);
    const auto in_layer = static_cast<std::int64_t>(point.layer);
    const std::int64_t places[4][3] = {{x.first, y.second, in_layer},
                                       {x.second, y.second, in_layer},
                                       {x.second, y.first, in_layer},
                                       {x.first, y.first, in_layer}};
    for (unsigned index = 0; index < 4; ++index) {
        Sample texel;
        if (!read_plain(texture, level, places[index], texel, wrong)) return false;
        result[index] = texel[channel];
    }
    return true;
}

} // namespace pygpu::host
