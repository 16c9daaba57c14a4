// The dtype of a C++ element type, numbered as in DLPack.
//
// To give your own type a dtype, write in its header:
//
//     template <> struct pygpu::dtype_of<__half> : pygpu::dtype_constant<pygpu::kind::floating, 16> {};
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

namespace pygpu {

// Numbered as DLDataTypeCode.
enum class kind : std::uint8_t {
    integer = 0,
    natural = 1,
    floating = 2,
    bfloat = 4,
    complex = 5,
    boolean = 6
};

struct dtype {
    std::uint8_t code = 0;
    std::uint8_t bits = 0;

    friend constexpr bool operator==(dtype one, dtype other) {
        return one.code == other.code && one.bits == other.bits;
    }
    friend constexpr bool operator!=(dtype one, dtype other) { return !(one == other); }
};

template <kind Kind, int Bits> struct dtype_constant {
    static constexpr dtype value{static_cast<std::uint8_t>(Kind), static_cast<std::uint8_t>(Bits)};
};

// Left undefined for types that have none.
template <class T, class = void> struct dtype_of;

template <> struct dtype_of<bool> : dtype_constant<kind::boolean, 8> {};
template <class T>
struct dtype_of<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    : dtype_constant<std::is_signed_v<T> ? kind::integer : kind::natural, 8 * sizeof(T)> {};
template <> struct dtype_of<float> : dtype_constant<kind::floating, 32> {};
template <> struct dtype_of<double> : dtype_constant<kind::floating, 64> {};
template <> struct dtype_of<std::complex<float>> : dtype_constant<kind::complex, 64> {};
template <> struct dtype_of<std::complex<double>> : dtype_constant<kind::complex, 128> {};

template <class T> inline constexpr dtype dtype_v = dtype_of<std::remove_cv_t<T>>::value;

// numpy's word, "float" of "float32"; "?" for a code that has none here.
constexpr const char *word_of(dtype type) {
    switch (static_cast<kind>(type.code)) {
    case kind::integer:
        return "int";
    case kind::natural:
        return "uint";
    case kind::floating:
        return "float";
    case kind::bfloat:
        return "bfloat";
    case kind::complex:
        return "complex";
    case kind::boolean:
        return "bool";
    }
    return "?";
}

} // namespace pygpu
