// How a texture is read: addressing, filtering and conversion (CUDA C++ Programming Guide, "Texture
// Fetching"). What the guide leaves open is as an H200 does it.
#include "host/ptx/texture.hpp"

#include "host/ptx/cube.hpp"
#include "host/ptx/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr std::int64_t outside = -1;
constexpr int unit = 256; // of weights: 8 bits of fraction

using Address = Texture::Address;
using Kind = Texture::Texel;

double rounded(double value) { return std::floor(value + 0.5); }

// Wrapping and mirroring are for normalised coordinates; otherwise they clamp.
Address address_of(const Texture &texture, unsigned dimension) {
    const Address given = texture.address[dimension];
    return texture.normalized || given == Address::border ? given : Address::clamp;
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

// A coordinate in texels, small enough for an integer. Not a number is 0.
double in_texels(const Texture &texture, const Image &image, float given, unsigned dimension) {
    double at = given;
    const bool repeats =
        address_of(texture, dimension) == Address::wrap || address_of(texture, dimension) == Address::mirror;
    if (at != at || (repeats && std::isinf(at))) return 0;
    if (repeats && std::fabs(at) >= 0x1p20) at -= 2 * std::floor(at / 2);
    if (texture.normalized) at *= static_cast<double>(image.extent[dimension]);
    return std::clamp(at, -0x1p40, 0x1p40);
}

// Along one dimension: two neighbours, and the weight of the second in 1/256.
struct Along {
    std::int64_t first = 0, second = 0;
    int weight = 0;
};

Along between(const Texture &texture, const Image &image, float given, unsigned dimension) {
    const auto count = static_cast<std::int64_t>(image.extent[dimension]);
    const Address address = address_of(texture, dimension);
    double at = rounded((in_texels(texture, image, given, dimension) - 0.5) * unit);
    if (address == Address::clamp) at = std::clamp(at, 0.0, static_cast<double>(count - 1) * unit);
    const auto place = static_cast<std::int64_t>(at);
    const std::int64_t first = place >> 8;
    return {inside(first, count, address), inside(first + 1, count, address), static_cast<int>(place & 255)};
}

std::int64_t nearest(const Texture &texture, const Image &image, float given, unsigned dimension) {
    const double at = std::floor(in_texels(texture, image, given, dimension));
    return inside(static_cast<std::int64_t>(at), static_cast<std::int64_t>(image.extent[dimension]),
                  address_of(texture, dimension));
}

// ---- weights of corners, in 1/256. Each is a whole number, and all together are 256.
int of_product(int a, int b) { return static_cast<int>((a * b + unit / 2) / unit); }

// Of the second ones of two dimensions, or of the first ones.
int corner(int a, int b, bool second_a, bool second_b) {
    const int both = of_product(a, b);
    return second_a ? (second_b ? both : a - both) : (second_b ? b - both : unit - a - b + both);
}

int weight_of(const Along (&along)[3], unsigned dimensions, unsigned which) {
    const bool x = which & 1, y = which & 2, z = which & 4;
    if (dimensions < 3) return corner(along[0].weight, along[1].weight, x, y);
    const int whole = corner(along[0].weight, along[2].weight, x, z);
    const int second =
        x ? of_product(whole, along[1].weight) : whole - of_product(whole, unit - along[1].weight);
    return y ? second : whole - second;
}

// A line is one row of a picture to an H200, which is read at its upper edge: with a border there, half of
// the weight is the border's. Lines in layers are not.
unsigned filtered_dimensions(const Texture &texture) {
    const bool has_edge =
        texture.dimensions == 1 && !texture.layered && texture.address[1] == Address::border;
    return has_edge ? 2 : texture.dimensions;
}

// ---- texels
float largest(const Texture &texture) {
    const unsigned bits = texture.texel == Kind::natural ? texture.bits : texture.bits - 1;
    return static_cast<float>((std::uint64_t{1} << bits) - 1);
}

// The border's colour as a texel would have it.
std::uint32_t border_of(const Texture &texture, unsigned channel) {
    const float given = texture.border[channel];
    if (texture.texel == Kind::real) {
        const float value = texture.bits == 16 ? Half::widen(Half::narrow(given)) : given;
        return std::bit_cast<std::uint32_t>(value);
    }
    if (!texture.as_fraction) { // as the bits of an integer
        const auto bits = std::bit_cast<std::uint32_t>(given);
        if (texture.bits == 32) return bits;
        const unsigned shift = 32 - texture.bits;
        return texture.texel == Kind::natural
                   ? bits << shift >> shift
                   : static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << shift) >> shift);
    }
    const double least = texture.texel == Kind::natural ? 0 : -1;
    const double value = given == given ? std::clamp<double>(given, least, 1) : 0;
    const auto whole = static_cast<std::int32_t>(std::ceil(value * largest(texture) - 0.5));
    return static_cast<std::uint32_t>(whole);
}

// A texel's channels: integers, or floats.
bool read(const Texture &texture, const Image &image, const std::int64_t (&at)[3], Sample &made,
          std::uintptr_t &wrong) {
    made = {};
    if (at[0] == outside || at[1] == outside || at[2] == outside) {
        for (unsigned channel = 0; channel < texture.channels; ++channel)
            made[channel] = border_of(texture, channel);
        return true;
    }
    const std::size_t bytes = texture.bits / 8;
    const std::uintptr_t place = image.base + static_cast<std::uintptr_t>(at[2]) * image.slice +
                                 static_cast<std::uintptr_t>(at[1]) * image.pitch +
                                 static_cast<std::uintptr_t>(at[0]) * texture.texel_bytes();
    if (!texture.range.has(place, texture.texel_bytes())) {
        wrong = place;
        return false;
    }
    for (unsigned channel = 0; channel < texture.channels; ++channel) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const char *>(place) + channel * bytes, bytes);
        if (texture.texel == Kind::real && texture.bits == 16)
            bits = std::bit_cast<std::uint32_t>(Half::widen(static_cast<std::uint16_t>(bits)));
        if (texture.texel == Kind::integer && texture.bits < 32) {
            const unsigned shift = 32 - texture.bits;
            bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << shift) >> shift);
        }
        made[channel] = bits;
    }
    return true;
}

double number_of(const Texture &texture, std::uint32_t raw) {
    if (texture.texel == Kind::real) return std::bit_cast<float>(raw);
    return texture.texel == Kind::natural ? raw : static_cast<double>(static_cast<std::int32_t>(raw));
}

std::uint32_t result_of(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

// A channel of a texel that isn't mixed with others.
std::uint32_t plain_of(const Texture &texture, std::uint32_t raw) {
    if (!texture.as_fraction || texture.texel == Kind::real) return raw;
    return result_of(std::max(number_of(texture, raw) / static_cast<double>(largest(texture)), -1.0));
}

bool read_plain(const Texture &texture, const Image &image, const std::int64_t (&at)[3], Sample &made,
                std::uintptr_t &wrong) {
    if (!read(texture, image, at, made, wrong)) return false;
    for (unsigned channel = 0; channel < texture.channels; ++channel)
        made[channel] = plain_of(texture, made[channel]);
    return true;
}

// A sum of texels: formats of up to 16 bits have results of 16 bits.
std::uint32_t filtered_of(const Texture &texture, double sum) {
    if (texture.texel == Kind::real)
        return result_of(texture.bits == 16 ? static_cast<double>(Half::widen(Half::narrow(sum))) : sum);
    const double most = texture.texel == Kind::natural ? 65535 : 32767;
    return result_of(std::max(rounded(sum * most / static_cast<double>(largest(texture))) / most, -1.0));
}

// ---- sums of texels, of each channel
struct Sums {
    double of[4] = {};
};

bool add_texel(const Texture &texture, const Image &image, const std::int64_t (&at)[3], double weight,
               Sums &sums, std::uintptr_t &wrong) {
    Sample raw;
    if (!read(texture, image, at, raw, wrong)) return false;
    for (unsigned channel = 0; channel < texture.channels; ++channel)
        sums.of[channel] += weight * number_of(texture, raw[channel]);
    return true;
}

// The same of a cube's texel that may lie beyond an edge of its face, on the next one. Beyond a corner there
// is none: it counts as the mean of the three around the corner.
bool add_over_seam(const Texture &texture, const Image &image, const std::int64_t (&at)[3], double weight,
                   Sums &sums, std::uintptr_t &wrong) {
    const auto count = static_cast<std::int64_t>(image.extent[0]);
    const std::int64_t x = std::clamp<std::int64_t>(at[0], 0, count - 1),
                       y = std::clamp<std::int64_t>(at[1], 0, count - 1);
    if (x == at[0] && y == at[1]) return add_texel(texture, image, at, weight, sums, wrong);
    if (x == at[0] || y == at[1]) {
        std::int64_t next[3] = {at[0], at[1], at[2]};
        to_next_face(count, next);
        return add_texel(texture, image, next, weight, sums, wrong);
    }
    for (const auto &[column, row] : {std::pair{x, y}, {at[0], y}, {x, at[1]}}) {
        if (!add_over_seam(texture, image, {column, row, at[2]}, weight / 3, sums, wrong)) return false;
    }
    return true;
}

// What one level has at a spot, in 1/256.
bool add_level(const Texture &texture, const Image &image, const Spot &spot, Sums &sums,
               std::uintptr_t &wrong) {
    const auto in_layer = static_cast<std::int64_t>(spot.layer);
    if (!texture.filtered) {
        std::int64_t place[3] = {0, 0, in_layer};
        for (unsigned k = 0; k < texture.dimensions; ++k) place[k] = nearest(texture, image, spot.at[k], k);
        return add_texel(texture, image, place, unit, sums, wrong);
    }
    const unsigned dimensions = filtered_dimensions(texture);
    const bool seams = texture.address[0] == Address::seam;
    Along along[3];
    along[2].first = in_layer;
    for (unsigned k = 0; k < dimensions; ++k)
        along[k] = between(texture, image, k < texture.dimensions ? spot.at[k] : 0, k);
    for (unsigned which = 0; which < 1u << dimensions; ++which) {
        const int weight = weight_of(along, dimensions, which);
        if (!weight) continue; // it may be infinite
        std::int64_t place[3];
        for (unsigned k = 0; k < 3; ++k) place[k] = which >> k & 1 ? along[k].second : along[k].first;
        if (!(seams ? add_over_seam : add_texel)(texture, image, place, weight, sums, wrong)) return false;
    }
    return true;
}

// The levels that a level of detail lies between: the first one's number, and the weight of the next.
Along between_levels(const Texture &texture, double level) {
    const auto last = static_cast<double>(texture.levels.size() - 1);
    double at = level + static_cast<double>(texture.level_bias);
    if (at != at) at = 0;
    at = std::min(std::max(at, static_cast<double>(texture.least_level)),
                  static_cast<double>(texture.most_level));
    at = std::clamp(at, 0.0, last);
    const auto steps = static_cast<std::int64_t>(rounded(at * unit));
    if (!texture.mixes_levels) return {(steps + unit / 2) / unit, 0, 0};
    return {steps / unit, 0, static_cast<int>(steps % unit)};
}

} // namespace

double level_of(const Texture &texture, const Gradients &gradients) {
    double most = 0;
    for (const auto &change : {gradients.by_x, gradients.by_y}) {
        double square = 0;
        for (unsigned k = 0; k < texture.dimensions; ++k) {
            const double texels =
                static_cast<double>(change[k]) * static_cast<double>(texture.image().extent[k]);
            square += texels * texels;
        }
        most = std::fmax(most, square);
    }
    return std::log2(most) / 2;
}

bool sample(const Texture &texture, const Spot &spot, Sample &made, std::uintptr_t &wrong) {
    const Along levels = between_levels(texture, spot.level);
    const Image &first = texture.levels[static_cast<std::size_t>(levels.first)];
    if (!texture.filtered && !levels.weight) {
        std::int64_t place[3] = {0, 0, static_cast<std::int64_t>(spot.layer)};
        for (unsigned k = 0; k < texture.dimensions; ++k) place[k] = nearest(texture, first, spot.at[k], k);
        return read_plain(texture, first, place, made, wrong);
    }
    Sums sums;
    if (!add_level(texture, first, spot, sums, wrong)) return false;
    if (levels.weight) {
        Sums next;
        if (!add_level(texture, (&first)[1], spot, next, wrong)) return false;
        for (unsigned channel = 0; channel < texture.channels; ++channel)
            sums.of[channel] =
                (sums.of[channel] * (unit - levels.weight) + next.of[channel] * levels.weight) / unit;
    }
    made = {};
    for (unsigned channel = 0; channel < texture.channels; ++channel)
        made[channel] = filtered_of(texture, sums.of[channel] / unit);
    return true;
}

bool fetch(const Texture &texture, std::int64_t number, Sample &made, std::uintptr_t &wrong) {
    made = {};
    const Image &image = texture.image();
    if (number < 0 || number >= static_cast<std::int64_t>(image.extent[0])) return true;
    return read_plain(texture, image, {number, 0, 0}, made, wrong);
}

bool gather(const Texture &texture, const Spot &spot, unsigned channel, Sample &made, std::uintptr_t &wrong) {
    const Image &image = texture.image();
    const Along x = between(texture, image, spot.at[0], 0), y = between(texture, image, spot.at[1], 1);
    const auto in_layer = static_cast<std::int64_t>(spot.layer);
    const std::int64_t places[4][3] = {{x.first, y.second, in_layer},
                                       {x.second, y.second, in_layer},
                                       {x.second, y.first, in_layer},
                                       {x.first, y.first, in_layer}};
    for (unsigned index = 0; index < 4; ++index) {
        Sample texel;
        if (!read_plain(texture, image, places[index], texel, wrong)) return false;
        made[index] = texel[channel];
    }
    return true;
}

} // namespace pygpu::host::ptx
