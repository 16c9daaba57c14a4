// The NaNs of f64, as an H200 makes them (tests/host/ptx/nans-h200.json). Processors of hosts differ: x86
// makes NaNs with a sign and aarch64 without, and each takes another of two NaNs, in an order that also
// depends on the compiler.
#pragma once

#include <bit>
#include <cstdint>

namespace pygpu::host::ptx {

inline constexpr std::uint64_t quiet_bit = std::uint64_t{1} << 51, sign_bit = std::uint64_t{1} << 63;

inline double made_nan() { return std::bit_cast<double>(0xfff8000000000000u); }
inline double quieted(double nan) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) | quiet_bit);
}

// A number with the sign bit if the value is NaN, and without it if not. By integers alone, of which
// compilers make vector instructions for every processor.
inline std::uint64_t sign_if_nan(double value) {
    return 0x7ff0000000000000u - (std::bit_cast<std::uint64_t>(value) & ~sign_bit);
}

// An instruction's result. If it is NaN: the first of these operands that is one, or a new NaN.
inline double settled(double result, double a) {
    return result == result ? result : a != a ? quieted(a) : made_nan();
}
inline double settled(double result, double first, double second) {
    return result == result ? result : first != first ? quieted(first) : settled(result, second);
}
inline double settled(double result, double first, double second, double third) {
    return result == result ? result : first != first ? quieted(first) : settled(result, second, third);
}

} // namespace pygpu::host::ptx
