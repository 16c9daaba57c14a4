// The narrow formats of floats, and rounding to them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace pygpu::host {

enum class Round : unsigned { nearest, zero, down, up };

// f16 (10 bits of mantissa, 5 of exponent) and bf16 (7 and 8).
template <int Mantissa, int Exponent> struct Narrow {
    static constexpr int least = 2 - (1 << (Exponent - 1)); // exponent of the smallest normal number
    static constexpr std::uint16_t infinity = static_cast<std::uint16_t>(((1 << Exponent) - 1) << Mantissa);

    // As .ftz reads and leaves it.
    static std::uint16_t flushed(std::uint16_t bits) {
        return static_cast<std::uint16_t>(bits & infinity ? bits : bits & 0x8000);
    }

    static float widen(std::uint16_t bits) {
        const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
        if constexpr (Mantissa == 7) {
            return std::bit_cast<float>(std::uint32_t{bits} << 16);
        } else {
            const std::uint32_t rest = bits & 0x7fffu;
            if (rest >= infinity) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
            if (rest >= 1u << Mantissa) return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
            const float value = static_cast<float>(rest) * 0x1p-24f;
            return sign ? -value : value;
        }
    }

    static std::uint16_t narrow(double value, Round round = Round::nearest) {
        if (value != value) return 0x7fff;
        const bool negative = std::signbit(value);
        const std::uint16_t sign = negative ? 0x8000 : 0;
        const double size = std::fabs(value);
        if (size == 0) return sign;
        if (size == std::numeric_limits<double>::infinity())
            return static_cast<std::uint16_t>(sign | infinity);
        const int exponent = std::ilogb(size);
        const int unit = (exponent < least ? least : exponent) - Mantissa;
        if (exponent >= (1 << (Exponent - 1)) + 1) // too large for rounding to bring it back
            return static_cast<std::uint16_t>(sign | beyond(negative, round));
        const double scaled = std::scalbn(size, -unit);
        double whole = std::floor(scaled);
        const double rest = scaled - whole;
        const bool odd = std::fmod(whole, 2) != 0;
        const bool up = round == Round::nearest ? rest > 0.5 || (rest == 0.5 && odd)
                        : round == Round::zero  ? false
                        : round == Round::up    ? rest > 0 && !negative
                                                : rest > 0 && negative;
        if (up) whole += 1;
        const auto digits = static_cast<std::int32_t>(whole);
        const std::int32_t bits =
            digits < 1 << Mantissa ? digits
                                   : ((unit + Mantissa - least + 1) << Mantissa) + digits - (1 << Mantissa);
        if (bits >= infinity) return static_cast<std::uint16_t>(sign | beyond(negative, round));
        return static_cast<std::uint16_t>(sign | bits);
    }

    // a * b + c, rounded once. An inexact sum in double gets an odd last bit (round to odd), so that rounding
    // it again gives the same as rounding the exact sum.
    static std::uint16_t fma(std::uint16_t a, std::uint16_t b, std::uint16_t c, Round round) {
        const double product = static_cast<double>(widen(a)) * static_cast<double>(widen(b)), to = widen(c);
        double sum = product + to;
        const double part = sum - product, lost = (product - (sum - part)) + (to - part);
        if (std::isfinite(sum) && lost != 0 && !(std::bit_cast<std::uint64_t>(sum) & 1))
            sum = std::nextafter(sum, lost > 0 ? std::numeric_limits<double>::infinity()
                                               : -std::numeric_limits<double>::infinity());
        return narrow(sum, round);
    }

private:
    static std::uint16_t beyond(bool negative, Round round) {
        const bool finite =
            round == Round::zero || (round == Round::up && negative) || (round == Round::down && !negative);
        return finite ? infinity - 1 : infinity;
    }
};

using Half = Narrow<10, 5>;
using Brain = Narrow<7, 8>;

// Eight bits or less. e4m3 has no infinity, and its only NaNs are 0x7f and 0xff; formats of six and four bits
// have neither, and NaN becomes their largest number (PTX ISA, "Alternate Floating-Point Data Formats",
// "cvt").
template <int Mantissa, int Exponent, std::uint8_t Most> struct Tiny {
    static constexpr int least = 2 - (1 << (Exponent - 1));
    static constexpr std::uint8_t sign_bit = 1 << (Mantissa + Exponent);
    static constexpr bool has_nan = sign_bit == 0x80;

    // To the nearest one, ties to even; what is too large becomes the largest finite one (.satfinite).
    static std::uint8_t narrow(double value) {
        if (value != value) return has_nan ? 0x7f : Most;
        const std::uint8_t sign = std::signbit(value) ? sign_bit : 0;
        const double size = std::fmin(std::fabs(value), 0x1p20);
        if (size == 0) return sign;
        const int exponent = std::max(std::ilogb(size), least);
        const auto digits = static_cast<int>(std::nearbyint(std::scalbn(size, Mantissa - exponent)));
        return static_cast<std::uint8_t>(sign |
                                         std::min<int>(((exponent - least) << Mantissa) + digits, Most));
    }

    // As f16, which holds all of them.
    static std::uint16_t widen(std::uint8_t bits) {
        const int rest = bits & (sign_bit - 1), high = rest >> Mantissa;
        const auto sign = static_cast<std::uint16_t>(bits & sign_bit ? 0x8000 : 0);
        if (has_nan && (Exponent == 5 ? rest > 0x7c : rest == 0x7f)) return 0x7fff;
        if (Exponent == 5) return static_cast<std::uint16_t>(bits << 8);
        const int digits = (rest & ((1 << Mantissa) - 1)) | (high ? 1 << Mantissa : 0);
        return static_cast<std::uint16_t>(
            sign | Half::narrow(std::ldexp(digits, std::max(high, 1) - 1 + least - Mantissa)));
    }
};

using E4M3 = Tiny<3, 4, 0x7e>;
using E5M2 = Tiny<2, 5, 0x7b>;
using E2M3 = Tiny<3, 2, 0x1f>;
using E3M2 = Tiny<2, 3, 0x1f>;
using E2M1 = Tiny<1, 2, 0x07>;

} // namespace pygpu::host
