// What it takes to convert elements to another type, wherever that is done.
#pragma once

#include "arrays/base/layout.hpp"

#include <cstdint>
#include <optional>

namespace pygpu::arrays {

// What an element is, in the machine's byte order.
struct Number {
    enum class Kind : unsigned char { boolean, with_sign, without_sign, real, brain, complex };
    Kind kind;
    ssize_t size;
};

// A cast of integers, floats and bools. Everything else is made of these: a complex number is two floats, or
// the first of them, and a float64 with a zero behind it is an integer of 16 bytes.
struct Cast {
    // As in PyGPU/_moves/cast.cu. An integer of 16 bytes is two words of 8.
    enum class Kind : unsigned char { integer, real, brain, boolean };
    struct Element {
        Kind kind;
        unsigned char size;

        bool operator==(const Element &) const = default;
    };
    // What else differs from cast to cast, as kernels read it.
    struct Rule {
        // The bit of the sign of an integer that is read, 0 if it has none. For a bool, the bits that count.
        // For an integer made of a float, the least value.
        std::uint64_t low = 0;
        std::uint64_t high = 0; // For an integer made of a float, the greatest value.
    };

    Element from, to;
    bool pairs = false; // a zero is written behind each element, as an imaginary part
    Rule rule{};

    bool copies() const { return from == to && !pairs; }
    ssize_t read() const { return from.size; } // bytes of an element
    ssize_t written() const { return pairs ? 2 * to.size : to.size; }
};

// The cast from one number to another, if there is one: bfloat16 is only converted from and to float32. The
// axes are those of the elements, of which an axis for the parts of complex numbers may become another.
std::optional<Cast> cast_of(const Number &from, const Number &to, Axes &axes);

} // namespace pygpu::arrays
