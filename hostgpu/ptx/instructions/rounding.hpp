// The modifiers of float instructions: rounding, flushing of subnormal numbers, clamping.
#pragma once

#include "base/small_floats.hpp"

#include <bit>
#include <cfenv>
#include <cstdint>

namespace pygpu::host::ptx {

// How a result is made, in an instruction's imm.
struct Modifiers {
    bool ftz, sat, relu;
    Round round;

    std::uint64_t packed() const {
        return (ftz ? 1u : 0u) | (sat ? 2u : 0u) | (relu ? 4u : 0u) | static_cast<unsigned>(round) << 3;
    }
    static Modifiers of(std::uint64_t packed) {
        return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, static_cast<Round>(packed >> 3 & 3)};
    }
};

// The host's arithmetic rounds in this way as long as the object lives.
class Rounding {
public:
    explicit Rounding(Round to) : changed_(to != Round::nearest) {
        constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
        if (changed_) std::fesetround(modes[static_cast<unsigned>(to)]);
    }
    ~Rounding() {
        if (changed_) std::fesetround(FE_TONEAREST);
    }
    Rounding(const Rounding &) = delete;
    Rounding &operator=(const Rounding &) = delete;

private:
    bool changed_;
};

// PTX ISA, "Floating Point Instructions": a NaN that f32 makes is 0x7fffffff. For f64 see nans.hpp.
inline float canonical(float value) { return value != value ? std::bit_cast<float>(0x7fffffffu) : value; }
inline double canonical(double value) { return value; }

inline float flushed(float value) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) & 0x7f800000u) == 0
                                    ? std::bit_cast<std::uint32_t>(value) & 0x80000000u
                                    : std::bit_cast<std::uint32_t>(value));
}
inline double flushed(double value) { return value; } // f64 has no .ftz

template <class T> T saturated(T value) { return value > 0 ? value < 1 ? value : T{1} : T{0}; } // NaN is 0

} // namespace pygpu::host::ptx
