// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer
// Arithmetic").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/operations.hpp"

#include <limits>
#include <type_traits>

namespace pygpu::host::ptx {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

template <class T> struct Double {};
template <> struct Double<std::uint16_t> {
    using type = std::uint32_t;
};
template <> struct Double<std::uint32_t> {
    using type = std::uint64_t;
};
template <> struct Double<std::uint64_t> {
    using type = Wide;
};
template <> struct Double<std::int16_t> {
    using type = std::int32_t;
};
template <> struct Double<std::int32_t> {
    using type = std::int64_t;
};
template <> struct Double<std::int64_t> {
    using type = SignedWide;
};
template <class T> using Twice = typename Double<T>::type;

// Results wrap: signed values are computed as unsigned ones of at least 32 bits.
template <class T> using Wrapping = std::common_type_t<std::make_unsigned_t<T>, std::uint32_t>;
template <class T> Wrapping<T> wrapping(T value) { return static_cast<Wrapping<T>>(value); }

struct Add {
    template <class T> static auto of(T a, T b) { return wrapping(a) + wrapping(b); }
};
struct Sub {
    template <class T> static auto of(T a, T b) { return wrapping(a) - wrapping(b); }
};
struct Mul {
    template <class T> static auto of(T a, T b) { return wrapping(a) * wrapping(b); }
};
struct Mad {
    template <class T> static auto of(T a, T b, T c) { return wrapping(a) * wrapping(b) + wrapping(c); }
};
struct MulHigh {
    template <class T> static T of(T a, T b) {
        return static_cast<T>(Twice<T>{a} * Twice<T>{b} >>
                              std::numeric_limits<std::make_unsigned_t<T>>::digits);
    }
};
struct MadHigh {
    template <class T> static auto of(T a, T b, T c) { return wrapping(MulHigh::of(a, b)) + wrapping(c); }
};
// "div: division by zero yields an unspecified, machine-specific value": here all ones, and a as the
// remainder.
struct Div {
    template <class T> static T of(T a, T b) {
        if (b == 0) return static_cast<T>(~T{0});
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return static_cast<T>(0 - wrapping(a));
        }
        return static_cast<T>(a / b);
    }
};
struct Rem {
    template <class T> static T of(T a, T b) {
        if (b == 0) return a;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return 0;
        }
        return static_cast<T>(a % b);
    }
};
struct Min {
    template <class T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Max {
    template <class T> static T of(T a, T b) { return a < b ? b : a; }
};
struct Abs {
    template <class T> static auto of(T a) { return a < 0 ? 0 - wrapping(a) : wrapping(a); }
};
struct Neg {
    template <class T> static auto of(T a) { return 0 - wrapping(a); }
};
struct Sad {
    template <class T> static auto of(T a, T b, T c) {
        return wrapping(c) + (a < b ? wrapping(b) - wrapping(a) : wrapping(a) - wrapping(b));
    }
};
template <class Op> struct Saturated {
    static std::int32_t of(std::int32_t a, std::int32_t b) {
        const std::int64_t wide = Op::wide(a, b);
        return static_cast<std::int32_t>(wide < INT32_MIN ? INT32_MIN : wide > INT32_MAX ? INT32_MAX : wide);
    }
};
struct WideAdd {
    static std::int64_t wide(std::int64_t a, std::int64_t b) { return a + b; }
};
struct WideSub {
    static std::int64_t wide(std::int64_t a, std::int64_t b) { return a - b; }
};
struct MadHighSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
        return Saturated<WideAdd>::of(MulHigh::of(a, b), c);
    }
};

// mul24: the low 24 bits of each operand, with sign.
template <bool Signed> std::int64_t low24(std::uint32_t value) {
    if (Signed) return static_cast<std::int32_t>(value << 8) >> 8;
    return value & 0xffffff;
}
template <bool Signed, int Shift> struct Mul24 {
    static std::uint32_t of(std::uint32_t a, std::uint32_t b) {
        return static_cast<std::uint32_t>(low24<Signed>(a) * low24<Signed>(b) >> Shift);
    }
};
template <bool Signed, int Shift> struct Mad24 {
    static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return Mul24<Signed, Shift>::of(a, b) + c;
    }
};

struct Mad24HighSaturated {
    static std::int32_t of(std::int32_t a, std::int32_t b, std::int32_t c) {
        const std::uint32_t high =
            Mul24<true, 16>::of(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
        return Saturated<WideAdd>::of(static_cast<std::int32_t>(high), c);
    }
};

// mul.wide and mad.wide: operands of half the result's width.
template <class T, bool Adds> const Instr *wide(const Instr *i, Warp &w) {
    using To = std::make_unsigned_t<Twice<T>>;
    To *const d = w.reg<To>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b);
    const To *const c = w.reg<To>(i->c);
    each(w, [=](unsigned l) {
        const To product =
            static_cast<To>(static_cast<Twice<T>>(a[l])) * static_cast<To>(static_cast<Twice<T>>(b[l]));
        if constexpr (Adds)
            d[l] = static_cast<To>(product + c[l]);
        else
            d[l] = product;
    });
    return i + 1;
}

template <bool Adds> Handler wide_of(Type type) {
    if (type.bits == 16) return type.is_signed() ? wide<std::int16_t, Adds> : wide<std::uint16_t, Adds>;
    if (type.bits == 32) return type.is_signed() ? wide<std::int32_t, Adds> : wide<std::uint32_t, Adds>;
    return nullptr;
}

void emit_wide(Decoder &d, Type type, bool adds) {
    const Type twice{type.kind, static_cast<std::uint8_t>(type.bits * 2)};
    const Handler run = adds ? wide_of<true>(type) : wide_of<false>(type);
    if (!run) d.unknown();
    const std::uint32_t a = d.in(1, type), b = d.in(2, type), c = adds ? d.in(3, twice) : 0;
    const std::uint32_t to = d.out(std::size_t{0}, twice);
    Instr &instr = d.emit(run);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.c = c;
}

// add.cc, addc, sub.cc, subc, mad.cc, madc: the carry goes in, out, or both. imm: 1 in, 2 out, 4 subtract. As
// on a card there is one flag for sums and differences: a - b is a + ~b + 1, whose carry says "no borrow".
template <class T> const Instr *with_carry(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b);
    const std::uint64_t how = i->imm;
    std::uint32_t carry = w.carry;
    each_active(w, [&](unsigned l) {
        const auto in = static_cast<T>(how & 1 ? w.carry >> l & 1 : how >> 2);
        const auto other = static_cast<T>(how & 4 ? ~b[l] : b[l]);
        const Twice<T> sum = Twice<T>{a[l]} + other + in;
        d[l] = static_cast<T>(sum);
        if (how & 2) {
            const bool out = static_cast<T>(sum >> std::numeric_limits<T>::digits) != 0;
            carry = out ? carry | 1u << l : carry & ~(1u << l);
        }
    });
    w.carry = carry;
    return i + 1;
}

void carried(Decoder &d, Type type, std::uint32_t a, std::uint32_t b, bool in, bool subtract) {
    const std::uint32_t to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(type.bits == 32   ? with_carry<std::uint32_t>
                          : type.bits == 64 ? with_carry<std::uint64_t>
                                            : (d.unknown(), nullptr));
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.imm = (in ? 1u : 0u) | (d.has("cc") ? 2u : 0u) | (subtract ? 4u : 0u);
}

// Two numbers of 16 bits in a word.
template <class F, bool Signed> const Instr *halves(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    using T = std::conditional_t<Signed, std::int16_t, std::uint16_t>;
    const auto one = [](std::uint32_t x, std::uint32_t y) {
        return std::uint32_t{static_cast<std::uint16_t>(F::of(static_cast<T>(x), static_cast<T>(y)))};
    };
    each(w, [=](unsigned l) { d[l] = one(a[l], b[l]) | one(a[l] >> 16, b[l] >> 16) << 16; });
    return i + 1;
}

void emit_packed(Decoder &d, Handler run) {
    if (d.needs_type().width() != 32) d.unknown();
    emit_plain(d, run, {Type::untyped, 32}, 2);
}

template <class F> struct Relu {
    template <class T> static T of(T a, T b) {
        const T one = F::of(a, b);
        return one < 0 ? T{0} : one;
    }
};

void decode_add(Decoder &d) {
    d.allow({"sat", "cc"});
    const Type type = d.needs_type();
    if (type.lanes == 2) {
        if (d.base != "add" || d.has("sat") || d.has("cc")) d.unknown();
        return emit_packed(d, halves<Add, false>);
    }
    const bool subtract = d.base[0] == 's', carries = d.base.ends_with("c");
    if (carries || d.has("cc")) return carried(d, type, d.in(1, type), d.in(2, type), carries, subtract);
    if (d.has("sat")) {
        if (type != Type{Type::integer, 32}) d.unknown();
        return emit_plain(
            d, subtract ? binary<std::int32_t, Saturated<WideSub>> : binary<std::int32_t, Saturated<WideAdd>>,
            type, 2);
    }
    emit_plain(d, subtract ? binary_of_width<Sub>(type.bits) : binary_of_width<Add>(type.bits), type, 2);
}

void decode_mul(Decoder &d) {
    d.allow({"lo", "hi", "wide"});
    const Type type = d.needs_type();
    if (d.has("wide")) return emit_wide(d, type, false);
    emit_plain(d, d.has("hi") ? binary_of_type<MulHigh>(type) : binary_of_width<Mul>(type.bits), type, 2);
}

void decode_mad(Decoder &d) {
    d.allow({"lo", "hi", "wide", "sat", "cc"});
    const Type type = d.needs_type();
    const bool in = d.base == "madc";
    if (in || d.has("cc")) {
        const std::uint32_t a = d.in(1, type), b = d.in(2, type), c = d.in(3, type);
        const std::uint32_t product = d.temporary(type.bits);
        Instr &instr = d.emit(d.has("hi") ? binary_of_type<MulHigh>(type) : binary_of_width<Mul>(type.bits));
        instr.d = product;
        instr.a = a;
        instr.b = b;
        return carried(d, type, product, c, in, false);
    }
    if (d.has("wide")) return emit_wide(d, type, true);
    if (d.has("sat")) {
        if (!d.has("hi") || type != Type{Type::integer, 32}) d.unknown();
        return emit_plain(d, ternary<std::int32_t, MadHighSaturated>, type, 3);
    }
    emit_plain(d, d.has("hi") ? ternary_of_type<MadHigh>(type) : ternary_of_width<Mad>(type.bits), type, 3);
}

void decode_mul24(Decoder &d) {
    d.allow({"lo", "hi", "sat"});
    const Type type = d.needs_type();
    if (type.bits != 32) d.unknown();
    if (d.has("sat")) {
        if (d.base != "mad24" || !d.has("hi") || !type.is_signed()) d.unknown();
        return emit_plain(d, ternary<std::int32_t, Mad24HighSaturated>, type, 3);
    }
    const bool high = d.has("hi"), adds = d.base == "mad24", with_sign = type.is_signed();
    using U = std::uint32_t;
    const Handler two = with_sign ? high ? binary<U, Mul24<true, 16>> : binary<U, Mul24<true, 0>>
                        : high ? binary<U, Mul24<false, 16>>
                                  : binary<U, Mul24<false, 0>>;
    const Handler three = with_sign ? high ? ternary<U, Mad24<true, 16>> : ternary<U, Mad24<true, 0>>
                          : high ? ternary<U, Mad24<false, 16>>
                                    : ternary<U, Mad24<false, 0>>;
    emit_plain(d, adds ? three : two, type, adds ? 3 : 2);
}

template <class F, unsigned Operands> void decode_signed(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    if constexpr (Operands == 2)
        emit_plain(d, binary_of_type<F>(type), type, 2);
    else
        emit_plain(d, ternary_of_type<F>(type), type, 3);
}

void decode_div(Decoder &d) { decode_signed<Div, 2>(d); }

void decode_relu(Decoder &d) {
    d.allow({"relu"});
    const Type type = d.needs_type();
    const bool least = d.base == "min";
    if (d.has("relu")) {
        if (!type.is_signed() || type.bits == 64 || (type.bits == 16 && type.lanes == 1)) d.unknown();
        if (type.lanes == 2) return emit_packed(d, least ? halves<Relu<Min>, true> : halves<Relu<Max>, true>);
        return emit_plain(d, least ? binary<std::int32_t, Relu<Min>> : binary<std::int32_t, Relu<Max>>, type,
                          2);
    }
    if (type.lanes == 2) {
        const bool with_sign = type.is_signed();
        return emit_packed(d, least       ? with_sign ? halves<Min, true> : halves<Min, false>
                                    : with_sign ? halves<Max, true>
                                          : halves<Max, false>);
    }
    least ? decode_signed<Min, 2>(d) : decode_signed<Max, 2>(d);
}

void decode_abs(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    emit_plain(d, d.base == "abs" ? unary_of_type<Abs>(type) : unary_of_width<Neg>(type.bits), type, 1);
}

// dp4a, dp2a: products of parts of a word, summed up. imm: 1 a has signs, 2 b has, 4 the high half of b.
template <bool Four> const Instr *dot(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b),
                      *const c = w.reg<std::uint32_t>(i->c);
    const std::uint64_t how = i->imm;
    const auto part = [](std::uint32_t value, unsigned at, unsigned bits, bool with_sign) {
        const std::uint32_t low = value >> at << (32 - bits);
        return with_sign ? static_cast<std::int32_t>(low) >> (32 - bits)
                         : static_cast<std::int32_t>(low >> (32 - bits));
    };
    each(w, [=](unsigned l) {
        std::uint32_t sum = c[l];
        for (unsigned at = 0; at < (Four ? 4u : 2u); ++at) {
            const std::int32_t x = part(a[l], Four ? 8 * at : 16 * at, Four ? 8 : 16, how & 1);
            const std::int32_t y = part(b[l], 8 * at + (!Four && how & 4 ? 16 : 0), 8, how & 2);
            sum += static_cast<std::uint32_t>(x * y);
        }
        d[l] = sum;
    });
    return i + 1;
}

void decode_dot(Decoder &d) {
    d.allow({"lo", "hi"});
    const Type a = d.needs_type(1), b = d.needs_type(0), word{Type::natural, 32};
    emit_plain(d, d.base == "dp4a" ? dot<true> : dot<false>, word, 3);
    d.body.code.back().imm = (a.is_signed() ? 1u : 0u) | (b.is_signed() ? 2u : 0u) | (d.has("hi") ? 4u : 0u);
}

// Integers and floats share these opcodes.
template <Decode Integer> void by_type(Decoder &d) {
    if (!d.type().is_float()) return Integer(d);
    static const auto *floats = [] {
        auto *instance = new std::unordered_map<std::string_view, Decode>;
        for (const Decoding &one : float_group()) instance->emplace(one.base, one.decode);
        return instance;
    }();
    const auto entry = floats->find(d.base);
    if (entry == floats->end()) d.unknown();
    entry->second(d);
}

} // namespace

std::vector<Decoding> integer_group() {
    return {{"add", by_type<decode_add>},  {"addc", decode_add},           {"sub", by_type<decode_add>},
            {"subc", decode_add},          {"mul", by_type<decode_mul>},   {"mad", by_type<decode_mad>},
            {"madc", decode_mad},          {"mul24", decode_mul24},        {"mad24", decode_mul24},
            {"div", by_type<decode_div>},  {"rem", decode_signed<Rem, 2>}, {"sad", decode_signed<Sad, 3>},
            {"min", by_type<decode_relu>}, {"max", by_type<decode_relu>},  {"abs", by_type<decode_abs>},
            {"neg", by_type<decode_abs>},  {"dp4a", decode_dot},           {"dp2a", decode_dot}};
}

} // namespace pygpu::host::ptx
