// cvt (PTX ISA, "Data Movement and Conversion Instructions: cvt").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/nans.hpp"
#include "ptx/instructions/operations.hpp"
#include "ptx/instructions/rounding.hpp"

#include <algorithm>
#include <limits>

namespace pygpu::host::ptx {
namespace {

// ---- a lane's value, whatever the width
struct Storage {
    char *at;
    unsigned bits; // 16, 32, 64
};

std::uint64_t get(const Storage &from, unsigned lane) {
    std::uint64_t value = 0;
    __builtin_memcpy(&value, from.at + std::size_t{from.bits} / 8 * lane, from.bits / 8);
    return value;
}
void put(const Storage &to, unsigned lane, std::uint64_t value) {
    __builtin_memcpy(to.at + std::size_t{to.bits} / 8 * lane, &value, to.bits / 8);
}

std::uint64_t extended(std::uint64_t value, unsigned bits, bool with_sign) {
    if (bits == 64) return value;
    const unsigned up = 64 - bits;
    return with_sign ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << up) >> up)
                     : value << up >> up;
}

// What a conversion is, in imm.
struct Conversion {
    Type from, to;
    Modifiers how;
    bool integral; // .rni and the like
    unsigned from_stored, to_stored;
    bool finite = false; // .satfinite

    std::uint64_t packed() const {
        const auto type = [](Type one) {
            return std::uint64_t{one.bits} | static_cast<std::uint64_t>(one.kind) << 8;
        };
        return type(from) | type(to) << 16 | how.packed() << 32 | std::uint64_t{integral} << 40 |
               std::uint64_t{from_stored} << 41 | std::uint64_t{to_stored} << 49 |
               std::uint64_t{finite} << 57;
    }
    static Conversion of(std::uint64_t packed) {
        const auto type = [](std::uint64_t one) {
            return Type{static_cast<Type::ScalarKind>(one >> 8 & 0xff),
                        static_cast<std::uint8_t>(one & 0xff)};
        };
        return {type(packed),
                type(packed >> 16),
                Modifiers::of(packed >> 32 & 0xff),
                (packed >> 40 & 1) != 0,
                static_cast<unsigned>(packed >> 41 & 0xff),
                static_cast<unsigned>(packed >> 49 & 0xff),
                (packed >> 57 & 1) != 0};
    }
};

double real_of(const Conversion &one, std::uint64_t bits) {
    if (one.from.kind == Type::brain) return Brain::widen(static_cast<std::uint16_t>(bits));
    if (one.from.bits == 16) return Half::widen(static_cast<std::uint16_t>(bits));
    if (one.from.bits == 64) return std::bit_cast<double>(bits);
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return one.how.ftz ? flushed(value) : value;
}

// Under the host's rounding of that mode.
std::uint64_t bits_of(const Conversion &one, double value) {
    if (one.how.sat) value = saturated(value);
    if (one.how.relu && value < 0) value = 0;
    if (one.from.bits == 64 && one.to.bits == 16 && value != value)
        return std::signbit(value) ? 0xffff : 0x7fff;
    if (one.finite && value == value) {
        const double most = one.to.kind == Type::brain ? 0x1.fep127 : 65504;
        value = value > most ? most : value < -most ? -most : value;
    }
    if (one.to.kind == Type::brain) return Brain::narrow(value, one.how.round);
    if (one.to.bits == 16) return Half::narrow(value, one.how.round);
    if (one.to.bits == 64) return std::bit_cast<std::uint64_t>(value);
    const float result = static_cast<float>(value);
    return std::bit_cast<std::uint32_t>(canonical(one.how.ftz ? flushed(result) : result));
}

// "Clamped to the range of the destination type"; NaN is 0, but the highest bit alone where a side has 64
// bits.
std::uint64_t integer_of(const Conversion &one, double value) {
    if (value != value)
        return one.from.bits == 64 || one.to.bits == 64 ? std::uint64_t{1} << (one.to.bits - 1) : 0;
    const double whole = std::nearbyint(value);
    if (one.to.is_signed()) {
        const double most = std::ldexp(1, one.to.bits - 1);
        if (whole >= most) return (std::uint64_t{1} << (one.to.bits - 1)) - 1;
        if (whole < -most) return extended(std::uint64_t{1} << (one.to.bits - 1), one.to.bits, true);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
    }
    if (whole <= 0) return 0;
    if (whole >= std::ldexp(1, one.to.bits)) return extended(~0ull, one.to.bits, false);
    return static_cast<std::uint64_t>(whole);
}

std::uint64_t clamped(const Conversion &one, std::uint64_t value) {
    const bool negative = one.from.is_signed() && static_cast<std::int64_t>(value) < 0;
    if (one.to.is_signed()) {
        const auto most = static_cast<std::int64_t>((std::uint64_t{1} << (one.to.bits - 1)) - 1);
        if (negative)
            return static_cast<std::int64_t>(value) < -most - 1 ? static_cast<std::uint64_t>(-most - 1)
                                                                : value;
        return value > static_cast<std::uint64_t>(most) ? static_cast<std::uint64_t>(most) : value;
    }
    if (negative) return 0;
    const std::uint64_t most = extended(~0ull, one.to.bits, false);
    return value > most ? most : value;
}

// Rounds to 53 bits, and sets the last one where anything was cut off (round to odd). Rounding again, to
// fewer bits, then gives the same as rounding the number itself.
double rounded_to_odd(std::uint64_t value) {
    const int cut = std::bit_width(value) - 53;
    if (cut <= 0) return static_cast<double>(value);
    const std::uint64_t kept = value >> cut;
    return std::ldexp(static_cast<double>(kept | (kept << cut != value ? 1 : 0)), cut);
}

std::uint64_t converted(const Conversion &one, std::uint64_t bits) {
    if (!one.from.is_float()) {
        const std::uint64_t value = extended(bits, one.from.bits, one.from.is_signed());
        if (!one.to.is_float())
            return extended(one.how.sat ? clamped(one, value) : value, one.to.bits, one.to.is_signed());
        if (one.to.bits == 32 && !one.how.sat) {
            return std::bit_cast<std::uint32_t>(one.from.is_signed()
                                                    ? static_cast<float>(static_cast<std::int64_t>(value))
                                                    : static_cast<float>(value));
        }
        const bool negative = one.from.is_signed() && static_cast<std::int64_t>(value) < 0;
        if (one.to.bits == 16) {
            const double size = rounded_to_odd(negative ? 0 - value : value);
            return bits_of(one, negative ? -size : size);
        }
        return bits_of(one, negative ? static_cast<double>(static_cast<std::int64_t>(value))
                                     : static_cast<double>(value));
    }
    double value = real_of(one, bits);
    if (!one.to.is_float()) return extended(integer_of(one, value), one.to.bits, one.to.is_signed());
    if (one.from.bits == 64 && one.to.bits == 64 && value != value && !one.how.sat)
        return one.integral ? bits | quiet_bit : bits;
    if (one.integral) value = std::nearbyint(value);
    return bits_of(one, value);
}

const Instr *convert(const Instr *i, Warp &w) {
    const Conversion one = Conversion::of(i->imm);
    const Storage to{w.registers + i->d, one.to_stored}, from{w.registers + i->a, one.from_stored};
    const Rounding rounding(one.how.round);
    each_active(w, [&](unsigned l) { put(to, l, converted(one, get(from, l))); });
    return i + 1;
}

// Two floats into a packed register: the first one goes to the upper half.
const Instr *pack(const Instr *i, Warp &w) {
    const Conversion one = Conversion::of(i->imm);
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    const Rounding rounding(one.how.round);
    each_active(w, [&](unsigned l) {
        d[l] = static_cast<std::uint32_t>(converted(one, a[l]) << 16 | converted(one, b[l]));
    });
    return i + 1;
}

// ---- common conversions have loops that compilers vectorise
template <class To, class From> const Instr *plain(const Instr *i, Warp &w) {
    To *const d = w.reg<To>(i->d);
    const From *const a = w.reg<From>(i->a);
    each(w, [=](unsigned l) { d[l] = static_cast<To>(a[l]); });
    return i + 1;
}

// Truncation to 32 bits, within the range.
template <class From> const Instr *truncate(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::int32_t>(i->d);
    const From *const a = w.reg<From>(i->a);
    const std::int32_t nan = sizeof(From) == 8 ? std::numeric_limits<std::int32_t>::min() : 0;
    each(w, [=](unsigned l) {
        const From x = a[l];
        d[l] = x != x                     ? nan
               : x >= From(2147483648.0)  ? std::numeric_limits<std::int32_t>::max()
               : x <= From(-2147483648.0) ? std::numeric_limits<std::int32_t>::min()
                                          : static_cast<std::int32_t>(x);
    });
    return i + 1;
}

const Instr *widen_half(const Instr *i, Warp &w) {
    float *const d = w.reg<float>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a);
    each_active(w, [=](unsigned l) { d[l] = canonical(Half::widen(a[l])); });
    return i + 1;
}

// A NaN stays as it is, as on an H200.
const Instr *widen_brain(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a);
    each(w, [=](unsigned l) { d[l] = std::uint32_t{a[l]} << 16; });
    return i + 1;
}

const Instr *round_tensor(const Instr *i, Warp &w) { // .rna.tf32: ties away from zero, 10 bits remain
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a);
    each(w, [=](unsigned l) {
        const std::uint32_t x = a[l];
        d[l] =
            (x & 0x7f800000u) == 0x7f800000u ? (x & 0x7fffffu ? 0x7fffffffu : x) : (x + 0x1000u) & ~0x1fffu;
    });
    return i + 1;
}

Handler common(const Conversion &one, const Decoder &d) {
    const Type to = one.to, from = one.from;
    if (one.how.sat || one.how.ftz || one.how.relu) return nullptr;
    if (!to.is_float() && !from.is_float()) {
        if (to.bits < 16 || from.bits < 16) return nullptr;
        if (one.to_stored != to.bits) return nullptr;
        if (to.bits <= from.bits) {
            if (to.bits == 16)
                return from.bits == 16   ? plain<std::uint16_t, std::uint16_t>
                       : from.bits == 32 ? plain<std::uint16_t, std::uint32_t>
                                         : plain<std::uint16_t, std::uint64_t>;
            if (to.bits == 32)
                return from.bits == 32 ? plain<std::uint32_t, std::uint32_t>
                                       : plain<std::uint32_t, std::uint64_t>;
            return plain<std::uint64_t, std::uint64_t>;
        }
        if (from.bits == 16) {
            if (to.bits == 32)
                return from.is_signed() ? plain<std::int32_t, std::int16_t>
                                        : plain<std::uint32_t, std::uint16_t>;
            return from.is_signed() ? plain<std::int64_t, std::int16_t> : plain<std::uint64_t, std::uint16_t>;
        }
        return from.is_signed() ? plain<std::int64_t, std::int32_t> : plain<std::uint64_t, std::uint32_t>;
    }
    if (one.how.round == Round::nearest && to.kind == Type::real && to.bits >= 32) {
        if (from.kind == Type::integer && from.bits == 32)
            return to.bits == 32 ? plain<float, std::int32_t> : plain<double, std::int32_t>;
        if (from.kind == Type::natural && from.bits == 32)
            return to.bits == 32 ? plain<float, std::uint32_t> : plain<double, std::uint32_t>;
        if (from.kind == Type::real && from.bits == 32 && to.bits == 64) return plain<double, float>;
        if (from.kind == Type::real && from.bits == 16 && to.bits == 32) return widen_half;
        if (from.kind == Type::brain && to.bits == 32 && !one.integral) return widen_brain;
    }
    if (to == Type{Type::integer, 32} && from.kind == Type::real && d.has("rzi"))
        return from.bits == 32 ? truncate<float> : from.bits == 64 ? truncate<double> : Handler{};
    return nullptr;
}

// Pairs of small floats. imm: 1 with relu, 2 from two f32, of which the first one goes to the upper half; 4
// of bf16
template <class Format, unsigned Bits> const Instr *to_tiny(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint16_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    const auto narrowed = [i](float value) -> unsigned {
        return Format::narrow(i->imm & 1 && value <= 0 ? 0 : value);
    };
    each_active(w, [&](unsigned l) {
        const auto half = [&](unsigned at) {
            const auto bits = static_cast<std::uint16_t>(a[l] >> at);
            return i->imm & 4 ? Brain::widen(bits) : Half::widen(bits);
        };
        const float high = i->imm & 2 ? std::bit_cast<float>(a[l]) : half(16),
                    low = i->imm & 2 ? std::bit_cast<float>(b[l]) : half(0);
        d[l] = static_cast<std::uint16_t>(narrowed(high) << Bits | narrowed(low));
    });
    return i + 1;
}

template <class Format, unsigned Bits> const Instr *from_tiny(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a);
    const auto widened = [i](unsigned bits) -> std::uint32_t {
        const std::uint16_t half = Format::widen(static_cast<std::uint8_t>(bits));
        return i->imm & 1 && half & 0x8000 ? 0 : half;
    };
    constexpr unsigned mask = (1u << Bits) - 1;
    each(w, [=](unsigned l) { d[l] = widened(a[l] >> Bits & mask) << 16 | widened(a[l] & mask); });
    return i + 1;
}

struct TinyFormat {
    std::string_view name;
    unsigned bits; // that one of a pair takes in the register
    Handler narrow, widen;
};
constexpr TinyFormat tiny_formats[] = {{"e4m3x2", 8, to_tiny<E4M3, 8>, from_tiny<E4M3, 8>},
                                       {"e5m2x2", 8, to_tiny<E5M2, 8>, from_tiny<E5M2, 8>},
                                       {"e2m3x2", 8, to_tiny<E2M3, 8>, from_tiny<E2M3, 8>},
                                       {"e3m2x2", 8, to_tiny<E3M2, 8>, from_tiny<E3M2, 8>},
                                       {"e2m1x2", 4, to_tiny<E2M1, 4>, from_tiny<E2M1, 4>}};

void decode_tiny(Decoder &d, const TinyFormat &format) {
    d.allow({"rn", "satfinite", "relu", format.name});
    const Type other = d.needs_type(), single{Type::real, 32}, halves{Type::real, 16, 2},
               brains{Type::brain, 16, 2};
    const bool narrows = d.mods.back() != format.name, pair = other == single;
    const bool known = other == halves || (narrows && (pair || other == brains));
    if (!d.has("rn") || d.has("satfinite") != narrows || !known || d.count() != (pair ? 3 : 2)) d.unknown();
    const Type small{Type::untyped, static_cast<std::uint8_t>(2 * format.bits)};
    const std::uint32_t a = d.in(1, narrows ? other : small), b = pair ? d.in(2, other) : a,
                        to = d.out(std::size_t{0}, narrows ? small : other);
    Instr &instr = d.emit(narrows ? format.narrow : format.widen);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.imm = (d.has("relu") ? 1u : 0u) | (pair ? 2u : 0u) | (other == brains ? 4u : 0u);
}

// ---- ue8m0: exponents alone, of a number without its sign. imm: 1 up, 2 satfinite, 4 of a pair of bf16
const Instr *to_exponents(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint16_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    const auto exponent = [i](std::uint32_t bits) -> unsigned {
        bits &= 0x7fffffffu;
        if (bits > 0x7f800000u) return 0xff;
        const unsigned whole = bits >> 23, rest = bits & 0x7fffffu;
        // A subnormal number is as large as 2^-127, which is 0, from 0x400000 on.
        const bool more = whole ? rest != 0 : rest > 0x400000u;
        const unsigned rounded = whole + (i->imm & 1 && more ? 1 : 0);
        return rounded == 0xff && i->imm & 2 ? 0xfe : rounded;
    };
    each(w, [=](unsigned l) {
        const std::uint32_t high = i->imm & 4 ? a[l] & 0xffff0000u : a[l],
                            low = i->imm & 4 ? a[l] << 16 : b[l];
        d[l] = static_cast<std::uint16_t>(exponent(high) << 8 | exponent(low));
    });
    return i + 1;
}

const Instr *from_exponents(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a);
    const auto widened = [](std::uint32_t one) { return one == 0xff ? 0x7fffu : one ? one << 7 : 0x40u; };
    each(w, [=](unsigned l) { d[l] = widened(a[l] >> 8u) << 16 | widened(a[l] & 0xffu); });
    return i + 1;
}

void decode_exponents(Decoder &d) {
    d.allow({"rn", "rz", "rp", "satfinite", "ue8m0x2"});
    const Type other = d.needs_type(), small{Type::untyped, 16}, single{Type::real, 32},
               brains{Type::brain, 16, 2};
    const bool narrows = d.mods.back() != "ue8m0x2", pair = other == single;
    if (narrows ? d.has("rz") == d.has("rp") || !(pair || other == brains) : other != brains || !d.has("rn"))
        d.unknown();
    if (d.count() != (pair ? 3 : 2)) d.unknown();
    const std::uint32_t a = d.in(1, narrows ? other : small), b = pair ? d.in(2, other) : a,
                        to = d.out(std::size_t{0}, narrows ? small : other);
    Instr &instr = d.emit(narrows ? to_exponents : from_exponents);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.imm = (d.has("rp") ? 1u : 0u) | (d.has("satfinite") ? 2u : 0u) | (other == brains ? 4u : 0u);
}

// ---- cvt.pack: a and b, clamped, into the low bits; above them what c has in its low ones. imm: the bits of
// one; 256: with signs
const Instr *clamp_and_pack(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::int32_t>(i->a), *const b = w.reg<std::int32_t>(i->b);
    const auto *const c = w.reg<std::uint32_t>(i->c);
    const auto bits = static_cast<unsigned>(i->imm & 255);
    const bool with_sign = i->imm & 256;
    const std::int32_t top = static_cast<std::int32_t>(1u << (with_sign ? bits - 1 : bits)) - 1,
                       bottom = with_sign ? -top - 1 : 0;
    const std::uint32_t mask = (1u << bits) - 1;
    each(w, [=](unsigned l) {
        const auto one = [=](std::int32_t value) {
            return static_cast<std::uint32_t>(value < bottom ? bottom : value > top ? top : value) & mask;
        };
        d[l] = one(a[l]) << bits | one(b[l]) | (bits == 16 ? 0 : c[l] << 2 * bits);
    });
    return i + 1;
}

void decode_pack(Decoder &d) {
    struct Named {
        std::string_view name;
        unsigned bits;
        bool with_sign;
    };
    static constexpr Named all[] = {{"u16", 16, false}, {"s16", 16, true}, {"u8", 8, false}, {"s8", 8, true},
                                    {"u4", 4, false},   {"s4", 4, true},   {"u2", 2, false}, {"s2", 2, true}};
    if (d.mods.size() < 4 || d.mods[1] != "sat" || d.mods[3] != "s32") d.unknown();
    const auto *const to = std::ranges::find(all, d.mods[2], &Named::name);
    if (to == std::end(all)) d.unknown();
    const bool third = to->bits < 16;
    if (d.mods.size() != (third ? 5u : 4u) || (third && d.mods[4] != "b32") || d.count() != (third ? 4u : 3u))
        d.unknown();
    const Type number{Type::integer, 32}, bits{Type::untyped, 32};
    const std::uint32_t a = d.in(1, number), b = d.in(2, number), c = third ? d.in(3, bits) : a,
                        at = d.out(std::size_t{0}, bits);
    Instr &instr = d.emit(clamp_and_pack);
    instr.d = at;
    instr.a = a;
    instr.b = b;
    instr.c = c;
    instr.imm = to->bits | (to->with_sign ? 256u : 0u);
}

// tf32 by truncation or to the nearest, ties to even. imm: 1 relu, 2 towards zero
const Instr *to_tensor(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a);
    each(w, [=](unsigned l) {
        const std::uint32_t x = a[l], size = x & 0x7fffffffu;
        const std::uint32_t up = i->imm & 2 ? 0 : 0xfffu + (x >> 13 & 1);
        d[l] = size > 0x7f800000u      ? 0x7fffffffu
               : i->imm & 1 && x >> 31 ? 0
               : size == 0x7f800000u   ? x
                                       : (x + up) & ~0x1fffu;
    });
    return i + 1;
}

void decode_cvt(Decoder &d) {
    for (const TinyFormat &one : tiny_formats) {
        if (d.has(one.name)) return decode_tiny(d, one);
    }
    if (d.has("ue8m0x2")) return decode_exponents(d);
    if (d.has("pack")) return decode_pack(d);
    d.allow({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna", "ftz", "sat", "relu", "satfinite"});
    const Type to = d.needs_type(1), from = d.needs_type(0);
    // "Results that are too large become the largest finite number, and NaN the canonical one."
    const bool finite = d.has("satfinite");
    if (finite && (from != Type{Type::real, 32} || !(to.kind == Type::tensor || to.bits == 16))) d.unknown();
    const bool integral = d.has("rni") || d.has("rzi") || d.has("rmi") || d.has("rpi");
    Modifiers how{d.has("ftz"), d.has("sat"), d.has("relu"), Round::nearest};
    how.round = d.has("rz") || d.has("rzi")   ? Round::zero
                : d.has("rm") || d.has("rmi") ? Round::down
                : d.has("rp") || d.has("rpi") ? Round::up
                                              : Round::nearest;
    if (to.kind == Type::tensor) {
        if (from != Type{Type::real, 32} || finite) d.unknown();
        if (!d.has("rna") && !d.has("rn") && !d.has("rz")) d.unknown();
        emit_plain(d, d.has("rna") ? round_tensor : to_tensor, {Type::untyped, 32}, 1);
        d.body.code.back().imm = (d.has("relu") ? 1u : 0u) | (d.has("rz") ? 2u : 0u);
        return;
    }
    if (to.lanes == 2) {
        if (from != Type{Type::real, 32} || to.bits != 16 || d.count() != 3) d.unknown();
        const std::uint32_t a = d.in(1, from), b = d.in(2, from), at = d.out(std::size_t{0}, to);
        Instr &instr = d.emit(pack);
        instr.d = at;
        instr.a = a;
        instr.b = b;
        instr.imm = Conversion{from, {to.kind, 16}, how, false, 32, 16, finite}.packed();
        return;
    }
    if (from.lanes == 2 || to.bits == 128 || from.bits == 128) d.unknown();
    Conversion one{from, to, how, integral, from.bits < 16 ? 16u : from.bits, 0, finite};
    // "If the register is wider, the result is extended to its size."
    const unsigned in_register = d.bits_of(d.operand(0));
    const bool wider = !to.is_float() && in_register > to.bits;
    if (in_register > 64) d.unknown();
    one.to_stored = wider ? in_register : to.bits < 16 ? 16 : to.bits;
    const std::uint32_t a = d.in(1, from);
    const std::uint32_t at = wider ? d.slot(d.operand(0).index).at : d.out(std::size_t{0}, to);
    Handler run = common(one, d);
    Instr &instr = d.emit(run ? run : convert);
    instr.d = at;
    instr.a = a;
    instr.imm = one.packed();
}

} // namespace

std::vector<Decoding> convert_group() { return {{"cvt", decode_cvt}}; }

} // namespace pygpu::host::ptx
