// Choosing the cast of two types.
#include "arrays/transfer/cast.hpp"

#include <climits>

namespace pygpu::arrays {
namespace {

using NumberKind = Number::Kind;

std::uint64_t sign_bit_of(ssize_t size) { return std::uint64_t{1} << (size * CHAR_BIT - 1); }

Cast::Element element_of(const Number &number) {
    const auto size = static_cast<unsigned char>(number.size);
    switch (number.kind) {
    case NumberKind::real:
        return {Cast::Kind::real, size};
    case NumberKind::brain:
        return {Cast::Kind::brain, size};
    default:
        return {Cast::Kind::integer, size};
    }
}

// All bits of a number but the signs of floats: 0 and -0.0 are false, and all else is true.
std::uint64_t bits_that_count(const Number &number) {
    if (number.kind == NumberKind::real) return sign_bit_of(number.size) - 1;
    if (number.kind != NumberKind::complex) return ~std::uint64_t{0};
    const ssize_t part = number.size / 2; // a number of two 8 bytes is checked word by word
    const std::uint64_t bits = sign_bit_of(part) - 1;
    return part == 4 ? bits << 32 | bits : bits;
}

} // namespace

std::optional<Cast> cast_of(const Number &from, const Number &to, Axes &axes) {
    if (from.kind == NumberKind::complex && to.kind == NumberKind::complex) {
        const Number part{NumberKind::real, from.size / 2}, other{NumberKind::real, to.size / 2};
        axes.add({2, other.size, part.size});
        return cast_of(part, other, axes);
    }
    const bool brains = from.kind == NumberKind::brain || to.kind == NumberKind::brain;
    if (brains && (from.size != 4 || from.kind != NumberKind::real) &&
        (to.size != 4 || to.kind != NumberKind::real))
        return std::nullopt;
    if (to.kind == NumberKind::boolean && from.kind != NumberKind::boolean) {
        Cast cast{element_of(from), {Cast::Kind::boolean, 1}};
        cast.from.kind = Cast::Kind::integer;
        cast.rule.low = bits_that_count(from);
        return cast;
    }
    if (from.kind == NumberKind::complex) return cast_of({NumberKind::real, from.size / 2}, to, axes);
    if (to.kind == NumberKind::complex) {
        const Number part{NumberKind::real, to.size / 2};
        std::optional<Cast> cast = cast_of(from, part, axes);
        if (cast && cast->copies()) {
            const auto size = static_cast<unsigned char>(part.size);
            cast = Cast{{Cast::Kind::integer, size},
                        {Cast::Kind::integer, static_cast<unsigned char>(2 * size)}};
        } else if (cast) {
            cast->pairs = true;
        }
        return cast;
    }
    Cast cast{element_of(from), element_of(to)};
    if (from.kind == NumberKind::with_sign) {
        cast.rule.low = sign_bit_of(from.size);
    } else if (from.kind == NumberKind::real && to.kind == NumberKind::with_sign) {
        cast.rule.low = 0 - sign_bit_of(to.size);
        cast.rule.high = sign_bit_of(to.size) - 1;
    } else if (from.kind == NumberKind::real && to.kind == NumberKind::without_sign) {
        cast.rule.high = 2 * sign_bit_of(to.size) - 1;
    }
    return cast;
}

} // namespace pygpu::arrays
