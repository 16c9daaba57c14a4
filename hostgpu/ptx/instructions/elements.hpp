// The elements of matrices, and the shapes of products.
#pragma once

#include "base/small_floats.hpp"
#include "ptx/read/decoder.hpp"

#include <bit>
#include <charconv>

namespace pygpu::host::ptx {

enum Element : std::uint32_t { f16, bf16, tf32, f32, f64, s8, u8, s32, s4, u4, b1, e4m3, e5m2 };

inline unsigned bits_of(Element one) {
    switch (one) {
    case f64:
        return 64;
    case f16:
    case bf16:
        return 16;
    case s8:
    case u8:
    case e4m3:
    case e5m2:
        return 8;
    case s4:
    case u4:
        return 4;
    case b1:
        return 1;
    default:
        return 32;
    }
}

inline bool is_tiny_float(Element one) { return one == e4m3 || one == e5m2; }
inline bool is_integer(Element one) { return one >= s8 && one <= b1 && one != s32; } // of a factor

struct NamedElement {
    std::string_view name;
    Element element;
};
inline constexpr NamedElement element_names[] = {
    {"f16", f16}, {"bf16", bf16}, {"tf32", tf32}, {"f32", f32}, {"f64", f64},   {"s8", s8},    {"u8", u8},
    {"s32", s32}, {"s4", s4},     {"u4", u4},     {"b1", b1},   {"e4m3", e4m3}, {"e5m2", e5m2}};

// The types among the modifiers, in their order.
inline std::vector<Element> elements_of(const Decoder &d) {
    std::vector<Element> all;
    for (const std::string_view mod : d.mods) {
        for (const NamedElement &one : element_names) {
            if (one.name == mod) all.push_back(one.element);
        }
    }
    return all;
}

inline double value_of(Element one, std::uint64_t bits) {
    switch (one) {
    case f16:
        return Half::widen(static_cast<std::uint16_t>(bits));
    case bf16:
        return Brain::widen(static_cast<std::uint16_t>(bits));
    case tf32: // the lower 13 bits of the register are ignored
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) & ~0x1fffu);
    case f32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case f64:
        return std::bit_cast<double>(bits);
    case s8:
        return static_cast<std::int8_t>(bits);
    case u8:
        return static_cast<std::uint8_t>(bits);
    case s4:
        return static_cast<std::int8_t>(bits << 4) >> 4;
    case u4:
        return bits & 15;
    case b1:
        return bits & 1;
    case e4m3:
        return Half::widen(E4M3::widen(static_cast<std::uint8_t>(bits)));
    case e5m2:
        return Half::widen(E5M2::widen(static_cast<std::uint8_t>(bits)));
    default:
        return static_cast<std::int32_t>(bits);
    }
}

struct Shape {
    unsigned m, n, k;
    bool operator==(const Shape &) const = default;
};

inline Shape shape_of(const Decoder &d) {
    for (const std::string_view mod : d.mods) {
        Shape shape{};
        const char *at = mod.data(), *const end = at + mod.size();
        unsigned *const numbers[] = {&shape.m, &shape.n, &shape.k};
        for (unsigned index = 0; index < 3 && at != end && *at == "mnk"[index]; ++index)
            at = std::from_chars(at + 1, end, *numbers[index]).ptr;
        if (at == end && shape.k) return shape;
    }
    d.unknown("it has no shape");
}

// A sum of products as an element; a sum of integers may be clamped.
std::uint64_t sum_bits(Element one, double value, bool saturates);

} // namespace pygpu::host::ptx
