// The CPU's casts. They give the bits that the kernels of PyGPU/_moves/cast.cu give, but for the payload of
// NaN.
//
// A run of elements is read into integers of 64 bits or into doubles, which hold each of the types exactly,
// and written from there. So there is a loop for each type, and none for each pair of types.
#include "arrays/transfer/host_cast.hpp"

#include "arrays/transfer/rectangles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace pygpu::arrays {
namespace {

double half_to_double(std::uint16_t half) {
    const std::uint64_t sign = std::uint64_t{half & 0x8000u} << 48, rest = half & 0x7fffu;
    if (rest >= 0x7c00) return std::bit_cast<double>(sign | std::uint64_t{0x7ff} << 52 | rest << 42);
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(std::bit_cast<double>(rest << 42) * 0x1p1008) |
                                 sign);
}

// To the nearest one, ties to even.
std::uint16_t double_to_half(double value) {
    const double size = std::fabs(value);
    const unsigned sign = std::signbit(value) ? 0x8000 : 0;
    unsigned bits = 0;
    if (!(size < 65520)) {
        bits = size >= 65520 ? 0x7c00 : 0x7e00;
    } else if (size < 0x1p-14) { // the last bit of 2**28 is 2**-24, which is that of these numbers, too
        bits = static_cast<unsigned>(std::bit_cast<std::uint64_t>(size + 0x1p28) -
                                     std::bit_cast<std::uint64_t>(0x1p28));
    } else {
        const std::uint64_t whole = std::bit_cast<std::uint64_t>(size);
        bits = static_cast<unsigned>((whole + 0x1ffffffffff + (whole >> 42 & 1)) >> 42) - (1008 << 10);
    }
    return static_cast<std::uint16_t>(sign | bits);
}

std::uint16_t float_to_brain(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return static_cast<std::uint16_t>(value == value ? rounded : (bits >> 16 & 0x8000) | 0x7fc0);
}

template <class Item> Item read_item(const char *from) {
    Item item;
    std::memcpy(&item, from, sizeof item);
    return item;
}

template <class Item> void write_item(char *to, Item item) { std::memcpy(to, &item, sizeof item); }

// A row of at most `most` elements on its way.
class CastRow {
public:
    static constexpr ssize_t most = 256;

    CastRow(const Cast &cast, const Axis &axis, ssize_t extent) : cast_(cast), axis_(axis), extent_(extent) {}

    void convert(char *to, const char *from) {
        if (cast_.from.kind == Cast::Kind::integer) {
            read_integers(from);
            if (cast_.to.kind == Cast::Kind::integer || cast_.to.kind == Cast::Kind::boolean)
                return write_integers(to);
            write_reals(to);
        } else {
            read_reals(from);
            if (cast_.to.kind != Cast::Kind::integer) return write_reals(to);
            truncate();
            write_integers(to);
        }
    }

private:
    using u64 = std::uint64_t;
    using i64 = std::int64_t;
    struct Pair {
        u64 first, second;
    };

    template <class Item, class Value, class Convert>
    void read_as(const char *from, Value *values, Convert convert) {
        for (ssize_t at = 0; at < extent_; ++at)
            values[at] = convert(read_item<Item>(from + at * axis_.from));
    }

    template <class Item, class Convert> void write_as(char *to, Convert convert) {
        for (ssize_t at = 0; at < extent_; ++at) {
            write_item(to + at * axis_.to, static_cast<Item>(convert(at)));
            if (cast_.pairs) write_item(to + at * axis_.to + sizeof(Item), Item{});
        }
    }

    void read_integers(const char *from) {
        const auto whole = [](auto item) { return std::uint64_t{item}; };
        switch (cast_.from.size) {
        case 1:
            return read_as<std::uint8_t>(from, integers_, whole);
        case 2:
            return read_as<std::uint16_t>(from, integers_, whole);
        case 4:
            return read_as<std::uint32_t>(from, integers_, whole);
        case 8:
            return read_as<u64>(from, integers_, whole);
        default: // only to a bool
            return read_as<Pair>(from, integers_, [](const Pair &pair) { return pair.first | pair.second; });
        }
    }

    void read_reals(const char *from) {
        if (cast_.from.kind == Cast::Kind::brain)
            read_as<std::uint16_t>(from, reals_, [](std::uint16_t item) {
                return static_cast<double>(std::bit_cast<float>(std::uint32_t{item} << 16));
            });
        else if (cast_.from.size == 2)
            read_as<std::uint16_t>(from, reals_, half_to_double);
        else if (cast_.from.size == 4)
            read_as<float>(from, reals_, [](float item) { return static_cast<double>(item); });
        else
            read_as<double>(from, reals_, [](double item) { return item; });
    }

    // The integer with its sign, in two's complement.
    u64 extended(ssize_t at) const { return (integers_[at] ^ cast_.rule.low) - cast_.rule.low; }

    void write_integers(char *to) {
        if (cast_.to.kind == Cast::Kind::boolean)
            return write_as<bool>(to, [&](ssize_t at) { return (integers_[at] & cast_.rule.low) != 0; });
        const bool extends = cast_.from.kind == Cast::Kind::integer;
        const auto whole = [&](ssize_t at) { return extends ? extended(at) : integers_[at]; };
        switch (cast_.to.size) {
        case 1:
            return write_as<std::uint8_t>(to, whole);
        case 2:
            return write_as<std::uint16_t>(to, whole);
        case 4:
            return write_as<std::uint32_t>(to, whole);
        case 8:
            return write_as<u64>(to, whole);
        default:
            for (ssize_t at = 0; at < extent_; ++at) write_item(to + at * axis_.to, Pair{integers_[at], 0});
        }
    }

    template <class Real> Real real(ssize_t at) const {
        if (cast_.from.kind != Cast::Kind::integer) return static_cast<Real>(reals_[at]);
        return cast_.rule.low ? static_cast<Real>(static_cast<i64>(extended(at)))
                              : static_cast<Real>(integers_[at]);
    }

    void write_reals(char *to) {
        if (cast_.to.kind == Cast::Kind::brain)
            write_as<std::uint16_t>(to, [&](ssize_t at) { return float_to_brain(real<float>(at)); });
        else if (cast_.to.size == 2)
            write_as<std::uint16_t>(to, [&](ssize_t at) { return double_to_half(real<double>(at)); });
        else if (cast_.to.size == 4)
            write_as<float>(to, [&](ssize_t at) { return real<float>(at); });
        else
            write_as<double>(to, [&](ssize_t at) { return real<double>(at); });
    }

    // Towards 0; beyond the range to its end; NaN to 0.
    void truncate() {
        constexpr double half = 0x1p63;
        const bool with_sign = cast_.rule.low != 0;
        const auto low = static_cast<i64>(cast_.rule.low);
        const u64 high = cast_.rule.high;
        const auto least = static_cast<double>(low),
                   end = static_cast<double>(high) + 1; // 2**53 + 1 is 2**53
        for (ssize_t at = 0; at < extent_; ++at) {
            const double value = reals_[at];
            if (value != value)
                integers_[at] = 0;
            else if (value <= least)
                integers_[at] = static_cast<u64>(low);
            else if (value >= end)
                integers_[at] = high;
            else if (with_sign || value < half)
                integers_[at] = static_cast<u64>(static_cast<i64>(value));
            else
                integers_[at] = static_cast<u64>(static_cast<i64>(value - half)) + (u64{1} << 63);
        }
    }

    const Cast &cast_;
    const Axis &axis_;
    const ssize_t extent_;
    u64 integers_[most];
    double reals_[most];
};

void cast_axes(char *to, const char *from, const Axis *axis, int count, const Cast &cast) {
    if (count > 1) {
        for (ssize_t at = 0; at < axis->extent; ++at)
            cast_axes(to + at * axis->to, from + at * axis->from, axis + 1, count - 1, cast);
        return;
    }
    for (ssize_t at = 0; at < axis->extent; at += CastRow::most)
        CastRow(cast, *axis, std::min(CastRow::most, axis->extent - at))
            .convert(to + at * axis->to, from + at * axis->from);
}

} // namespace

void HostCast::run() const {
    Axes sorted = axes;
    const Shift start = normalise(sorted);
    if (!sorted.count) sorted.add({1, 0, 0});
    cast_axes(to + start.to, from + start.from, sorted.axis, sorted.count, cast);
}

} // namespace pygpu::arrays
