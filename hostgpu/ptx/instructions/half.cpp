// Arithmetic of f16 and bf16, one or two in a register (PTX ISA, "Half Precision Floating Point
// Instructions").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/operations.hpp"
#include "ptx/instructions/rounding.hpp"

namespace pygpu::host::ptx {

Modifiers how_of(const Decoder &d);

namespace {

// Computed in float, which has more than twice the digits: rounding twice gives the same as rounding once.
struct Add {
    static float of(float a, float b) { return a + b; }
};
struct Sub {
    static float of(float a, float b) { return a - b; }
};
struct Mul {
    static float of(float a, float b) { return a * b; }
};
struct Ex2 {
    static float of(float a) { return std::exp2(a); }
};
struct Tanh {
    static float of(float a) { return std::tanh(a); }
};
template <bool Greater> struct Extreme {
    static float of(float a, float b) {
        if (a != a) return b;
        if (b != b) return a;
        if (a == b) return std::signbit(a) != Greater ? a : b;
        return (a < b) != Greater ? a : b;
    }
};

// Calls body for each value of sixteen bits: a packed register holds two.
template <class Body> void each_half(const Warp &w, bool packed, Body body) {
    each_active(w, [&](unsigned l) {
        if (packed) {
            body(2 * l);
            body(2 * l + 1);
        } else {
            body(l);
        }
    });
}

constexpr std::uint64_t is_packed = 1 << 8, nan_wins = 1 << 9, absolute = 1 << 10;

template <class Format> std::uint16_t finished(double value, Modifiers how) {
    if (how.sat) value = saturated(value);
    if (how.relu && value < 0) value = 0;
    const std::uint16_t result = Format::narrow(value, how.round);
    return how.ftz ? Format::flushed(result) : result;
}

template <class Format> float begun(std::uint16_t bits, Modifiers how) {
    return Format::widen(how.ftz ? Format::flushed(bits) : bits);
}

template <class Format, class F, unsigned Operands> const Instr *narrow(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint16_t>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a), *const b = w.reg<std::uint16_t>(i->b);
    const Modifiers how = Modifiers::of(i->imm);
    const std::uint64_t flags = i->imm;
    each_half(w, flags & is_packed, [=](unsigned l) {
        const float x = begun<Format>(a[l], how);
        if constexpr (Operands == 1) {
            d[l] = finished<Format>(F::of(x), how);
        } else {
            const float y = begun<Format>(b[l], how);
            const bool nan = flags & nan_wins && (x != x || y != y);
            d[l] = nan ? std::uint16_t{0x7fff} : finished<Format>(F::of(x, y), how);
        }
    });
    return i + 1;
}

template <class Format> const Instr *narrow_fma(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint16_t>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a), *const b = w.reg<std::uint16_t>(i->b),
                      *const c = w.reg<std::uint16_t>(i->c);
    const Modifiers how = Modifiers::of(i->imm);
    const auto flush = [how](std::uint16_t bits) { return how.ftz ? Format::flushed(bits) : bits; };
    each_half(w, i->imm & is_packed, [=](unsigned l) {
        std::uint16_t result = flush(Format::fma(flush(a[l]), flush(b[l]), flush(c[l]), Round::nearest));
        if (how.relu && result & 0x8000 && (result & 0x7fff) <= Format::infinity) result = 0;
        d[l] = how.sat ? finished<Format>(Format::widen(result), how) : result;
    });
    return i + 1;
}

template <class Format> const Instr *narrow_sign(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint16_t>(i->d);
    const auto *const a = w.reg<std::uint16_t>(i->a);
    const Modifiers how = Modifiers::of(i->imm);
    each_half(w, i->imm & is_packed, [=, &i](unsigned l) {
        const std::uint16_t from = how.ftz ? Format::flushed(a[l]) : a[l];
        const bool nan = (from & 0x7fff) > Format::infinity; // an H200 makes the same one of all
        d[l] = static_cast<std::uint16_t>(nan ? 0x7fff : i->imm & absolute ? from & 0x7fff : from ^ 0x8000);
    });
    return i + 1;
}

void emit_half(Decoder &d, Handler run, unsigned operands, std::uint64_t more = 0) {
    d.allow({"rn", "ftz", "sat", "relu", "NaN", "approx"});
    const Type type = d.needs_type();
    const Type same{Type::untyped, static_cast<std::uint8_t>(type.width())};
    const Modifiers how = how_of(d);
    emit_plain(d, run, same, operands);
    d.body.code.back().imm =
        how.packed() | (type.lanes == 2 ? is_packed : 0) | (d.has("NaN") ? nan_wins : 0) | more;
}

template <class F, unsigned Operands> void decode_narrow(Decoder &d) {
    if (d.count() != Operands + 1) d.unknown();
    emit_half(d, d.type().kind == Type::brain ? narrow<Brain, F, Operands> : narrow<Half, F, Operands>,
              Operands);
}

void decode_fma(Decoder &d) {
    emit_half(d, d.type().kind == Type::brain ? narrow_fma<Brain> : narrow_fma<Half>, 3);
}

void decode_sign(Decoder &d) {
    emit_half(d, d.type().kind == Type::brain ? narrow_sign<Brain> : narrow_sign<Half>, 1,
              d.base == "abs" ? absolute : 0);
}

} // namespace

std::vector<Decoding> half_group() {
    return {{"add", decode_narrow<Add, 2>},
            {"sub", decode_narrow<Sub, 2>},
            {"mul", decode_narrow<Mul, 2>},
            {"fma", decode_fma},
            {"min", decode_narrow<Extreme<false>, 2>},
            {"max", decode_narrow<Extreme<true>, 2>},
            {"abs", decode_sign},
            {"neg", decode_sign},
            {"ex2", decode_narrow<Ex2, 1>},
            {"tanh", decode_narrow<Tanh, 1>}};
}

} // namespace pygpu::host::ptx
