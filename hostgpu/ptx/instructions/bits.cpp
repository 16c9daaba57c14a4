// Logic, shifts and bit fields (PTX ISA, "Logic and Shift Instructions", and bfe to szext among the
// integers).
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/operations.hpp"

#include <limits>
#include <type_traits>

namespace pygpu::host::ptx {
namespace {

struct And {
    template <class T> static auto of(T a, T b) { return a & b; }
};
struct Or {
    template <class T> static auto of(T a, T b) { return a | b; }
};
struct Xor {
    template <class T> static auto of(T a, T b) { return a ^ b; }
};
struct Not {
    template <class T> static auto of(T a) { return ~a; }
};
struct Cnot {
    template <class T> static T of(T a) { return a == 0; }
};

// "Shift amounts greater than the register width N are clamped to N."
template <class T, bool Left> const Instr *shift(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a);
    const auto *const b = w.reg<std::uint32_t>(i->b);
    constexpr unsigned bits = sizeof(T) * 8;
    each(w, [=](unsigned l) {
        const std::uint32_t by = b[l];
        if constexpr (Left)
            d[l] = by >= bits ? T{0} : static_cast<T>(a[l] << by);
        else if constexpr (std::is_signed_v<T>)
            d[l] = static_cast<T>(a[l] >> (by >= bits ? bits - 1 : by));
        else
            d[l] = by >= bits ? T{0} : static_cast<T>(a[l] >> by);
    });
    return i + 1;
}

void decode_shift(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    const bool left = d.base == "shl";
    const Handler run = left               ? type.bits == 16   ? shift<std::uint16_t, true>
                                             : type.bits == 32 ? shift<std::uint32_t, true>
                                                               : shift<std::uint64_t, true>
                                      : type.is_signed() ? type.bits == 16   ? shift<std::int16_t, false>
                                                           : type.bits == 32 ? shift<std::int32_t, false>
                                                                             : shift<std::int64_t, false>
                                      : type.bits == 16 ? shift<std::uint16_t, false>
                        : type.bits == 32  ? shift<std::uint32_t, false>
                                           : shift<std::uint64_t, false>;
    if (type.lanes != 1 || type.is_float() || type.bits < 16 || type.bits > 64) d.unknown();
    const std::uint32_t a = d.in(1, type), b = d.in(2, word), to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(run);
    instr.d = to;
    instr.a = a;
    instr.b = b;
}

enum class Logic { and_, or_, xor_, not_, move };
template <Logic Op> const Instr *predicates(const Instr *i, Warp &w) {
    const std::uint32_t a = w.pred(i->a), b = w.pred(i->b);
    set_pred(w, i->d,
             Op == Logic::and_   ? a & b
             : Op == Logic::or_  ? a | b
             : Op == Logic::xor_ ? a ^ b
             : Op == Logic::not_ ? ~a
                                 : a);
    return i + 1;
}

template <class F, Logic Op> void decode_logic(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    if (type.kind != Type::predicate) return emit_plain(d, binary_of_width<F>(type.bits), type, 2);
    const std::uint32_t a = d.pred_in(d.operand(1)), b = d.pred_in(d.operand(2)),
                        to = d.pred_out(d.operand(0));
    Instr &instr = d.emit(predicates<Op>);
    instr.d = to;
    instr.a = a;
    instr.b = b;
}

void decode_not(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    if (type.kind != Type::predicate)
        return emit_plain(
            d, d.base == "not" ? unary_of_width<Not>(type.bits) : unary_of_width<Cnot>(type.bits), type, 1);
    const std::uint32_t a = d.pred_in(d.operand(1)), to = d.pred_out(d.operand(0));
    Instr &instr = d.emit(predicates<Logic::not_>);
    instr.d = to;
    instr.a = a;
}

// Any function of three bits: imm is its table.
const Instr *lop3(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b),
                      *const c = w.reg<std::uint32_t>(i->c);
    const auto term = [table = i->imm](unsigned bit) { return table >> bit & 1 ? ~0u : 0u; };
    const std::uint32_t t0 = term(0), t1 = term(1), t2 = term(2), t3 = term(3), t4 = term(4), t5 = term(5),
                        t6 = term(6), t7 = term(7);
    each(w, [=](unsigned l) {
        const std::uint32_t x = a[l], y = b[l], z = c[l];
        const std::uint32_t low = (~y & ((~z & t0) | (z & t1))) | (y & ((~z & t2) | (z & t3)));
        const std::uint32_t high = (~y & ((~z & t4) | (z & t5))) | (y & ((~z & t6) | (z & t7)));
        d[l] = (~x & low) | (x & high);
    });
    return i + 1;
}

// "lop3.BoolOp": p = (d != 0) BoolOp q. imm: and
const Instr *join_with(const Instr *i, Warp &w) {
    const auto *const a = w.reg<std::uint32_t>(i->a);
    const std::uint32_t q = w.pred(i->b);
    std::uint32_t bits = 0;
    for (unsigned l = 0; l < warp_size; ++l) bits |= (a[l] ? 1u : 0u) << l;
    set_pred(w, i->d, i->imm ? bits & q : bits | q);
    return i + 1;
}

void decode_lop3(Decoder &d) {
    d.allow({"and", "or"});
    const bool joins = d.has("and") || d.has("or");
    if (d.count() != (joins ? 7u : 5u) || d.operand(1).second != joins) d.unknown();
    if (!joins) {
        emit_plain(d, lop3, {Type::untyped, 32}, 3);
        d.body.code.back().imm = d.number(d.operand(4));
        return;
    }
    const Type bits{Type::untyped, 32};
    const std::uint32_t a = d.in(2, bits), b = d.in(3, bits), c = d.in(4, bits), q = d.pred_in(d.operand(6));
    const std::uint32_t p = d.pred_out(d.operand(1)), to = d.out(std::size_t{0}, bits);
    Instr &instr = d.emit(lop3);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.c = c;
    instr.imm = d.number(d.operand(5));
    Instr &joined = d.emit(join_with);
    joined.d = p;
    joined.a = to;
    joined.b = q;
    joined.imm = d.has("and");
}

// shf: 64 bits from b and a, of which 32 remain. imm: 1 left, 2 wrap.
const Instr *funnel(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b),
                      *const c = w.reg<std::uint32_t>(i->c);
    const bool left = i->imm & 1, wraps = i->imm & 2;
    each(w, [=](unsigned l) {
        const std::uint64_t both = std::uint64_t{b[l]} << 32 | a[l];
        const std::uint32_t by = wraps ? c[l] & 31 : c[l] < 32 ? c[l] : 32;
        d[l] = static_cast<std::uint32_t>(left ? both << by >> 32 : both >> by);
    });
    return i + 1;
}

void decode_funnel(Decoder &d) {
    d.allow({"l", "r", "clamp", "wrap"});
    emit_plain(d, funnel, {Type::untyped, 32}, 3);
    d.body.code.back().imm = (d.has("l") ? 1u : 0u) | (d.has("wrap") ? 2u : 0u);
}

// prmt: four of eight bytes, or their signs. imm is the mode; in modes other than `index`, c's low two bits
// select.
enum Permute : std::uint64_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };
const Instr *permute(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b),
                      *const c = w.reg<std::uint32_t>(i->c);
    static constexpr std::uint16_t selectors[6][4] = {
        {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
        {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    const std::uint64_t mode = i->imm;
    each(w, [=](unsigned l) {
        const std::uint64_t both = std::uint64_t{b[l]} << 32 | a[l];
        const std::uint32_t select = mode == index ? c[l] : selectors[mode - 1][c[l] & 3];
        std::uint32_t result = 0;
        for (unsigned at = 0; at < 4; ++at) {
            const std::uint32_t one = select >> (4 * at) & 15;
            auto byte = static_cast<std::uint32_t>(both >> (8 * (one & 7))) & 0xff;
            if (one & 8) byte = byte & 0x80 ? 0xff : 0;
            result |= byte << (8 * at);
        }
        d[l] = result;
    });
    return i + 1;
}

void decode_permute(Decoder &d) {
    d.allow({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    emit_plain(d, permute, {Type::untyped, 32}, 3);
    std::uint64_t mode = index;
    for (const std::string_view name : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) {
        ++mode;
        if (d.has(name)) d.body.code.back().imm = mode;
    }
}

// popc, clz, bfind, brev, bfe, bfi, bmsk, szext, fns
template <class T> const Instr *popc(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const T *const a = w.reg<T>(i->a);
    each(w, [=](unsigned l) { d[l] = static_cast<std::uint32_t>(std::popcount(a[l])); });
    return i + 1;
}
template <class T> const Instr *clz(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const T *const a = w.reg<T>(i->a);
    each(w, [=](unsigned l) { d[l] = static_cast<std::uint32_t>(std::countl_zero(a[l])); });
    return i + 1;
}
// The highest bit that differs from the sign; with imm, the shift that moves this bit to the top.
template <class T> const Instr *bfind(const Instr *i, Warp &w) {
    using U = std::make_unsigned_t<T>;
    auto *const d = w.reg<std::uint32_t>(i->d);
    const T *const a = w.reg<T>(i->a);
    const bool shifts = i->imm;
    each(w, [=](unsigned l) {
        const U value = a[l] < 0 ? static_cast<U>(~a[l]) : static_cast<U>(a[l]);
        const auto zeros = static_cast<std::uint32_t>(std::countl_zero(value));
        d[l] = !value ? ~0u : shifts ? zeros : static_cast<std::uint32_t>(sizeof(T) * 8 - 1) - zeros;
    });
    return i + 1;
}

void count_bits(Decoder &d) {
    d.allow({"shiftamt"});
    const Type type = d.needs_type();
    const bool long_ = type.bits == 64;
    if (type.bits < 32) d.unknown();
    const Handler run = d.base == "popc"   ? long_ ? popc<std::uint64_t> : popc<std::uint32_t>
                          : d.base == "clz" ? long_ ? clz<std::uint64_t> : clz<std::uint32_t>
                          : type.is_signed() ? long_ ? bfind<std::int64_t> : bfind<std::int32_t>
                          : long_ ? bfind<std::uint64_t>
                                           : bfind<std::uint32_t>;
    const std::uint32_t a = d.in(1, type), to = d.out(std::size_t{0}, word);
    Instr &instr = d.emit(run);
    instr.d = to;
    instr.a = a;
    instr.imm = d.has("shiftamt");
}

struct Reverse {
    template <class T> static T of(T a) {
        T result = 0;
        for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit)
            result = static_cast<T>(result << 1 | (a >> bit & 1));
        return result;
    }
};

void decode_reverse(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    emit_plain(d, type.bits < 32 ? Handler{} : unary_of_width<Reverse>(type.bits), type, 1);
}

// bfe: `len` bits from `pos` on; beyond the top those are the sign, or zero.
template <class T> const Instr *extract(const Instr *i, Warp &w) {
    using U = std::make_unsigned_t<T>;
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a);
    const auto *const b = w.reg<std::uint32_t>(i->b), *const c = w.reg<std::uint32_t>(i->c);
    constexpr std::uint32_t top = sizeof(T) * 8 - 1;
    each(w, [=](unsigned l) {
        const std::uint32_t pos = b[l] & 0xff, len = c[l] & 0xff;
        U result = 0;
        if (len) {
            const T shifted = static_cast<T>(a[l] >> (pos > top ? top : pos));
            const U bits =
                pos > top ? (std::is_signed_v<T> && a[l] < 0 ? ~U{0} : U{0}) : static_cast<U>(shifted);
            if (len > top) {
                result = bits;
            } else {
                const U mask = (U{1} << len) - 1;
                const std::uint32_t last = pos + len - 1 < top ? pos + len - 1 : top;
                const bool sign = std::is_signed_v<T> && (static_cast<U>(a[l]) >> last & 1);
                result = (bits & mask) | (sign ? ~mask : U{0});
            }
        }
        d[l] = static_cast<T>(result);
    });
    return i + 1;
}

void decode_extract(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    if (type.bits < 32) d.unknown();
    const bool long_ = type.bits == 64;
    const std::uint32_t a = d.in(1, type), b = d.in(2, word), c = d.in(3, word),
                        to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(type.is_signed() ? long_ ? extract<std::int64_t> : extract<std::int32_t>
                          : long_ ? extract<std::uint64_t>
                                           : extract<std::uint32_t>);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.c = c;
}

// bfi: the low `len` bits of a, put into b from `pos` on.
template <class T> const Instr *insert(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b);
    const auto *const c = w.reg<std::uint32_t>(i->c), *const e = w.reg<std::uint32_t>(i->extra->slots[0]);
    constexpr std::uint32_t bits = sizeof(T) * 8;
    each(w, [=](unsigned l) {
        const std::uint32_t pos = c[l] & 0xff, len = e[l] & 0xff;
        const T low = len >= bits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << len) - 1);
        const T mask = pos >= bits ? T{0} : static_cast<T>(low << pos);
        d[l] = static_cast<T>((pos >= bits ? T{0} : a[l] << pos) & mask) | (b[l] & static_cast<T>(~mask));
    });
    return i + 1;
}

void decode_insert(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    if (type.bits < 32) d.unknown();
    const std::uint32_t a = d.in(1, type), b = d.in(2, type), c = d.in(3, word), len = d.in(4, word);
    const std::uint32_t to = d.out(std::size_t{0}, type);
    Extra &more = d.extra();
    more.slots = {len};
    Instr &instr = d.emit(type.bits == 64 ? insert<std::uint64_t> : insert<std::uint32_t>);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.c = c;
    instr.extra = &more;
}

// bmsk: `b` ones from bit `a` on. imm: 1 wrap.
const Instr *mask_bits(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    const bool wraps = i->imm;
    each(w, [=](unsigned l) {
        const std::uint32_t from = wraps ? a[l] & 31 : a[l], count = wraps ? b[l] & 31 : b[l];
        const std::uint32_t ones = count >= 32 ? ~0u : (1u << count) - 1;
        d[l] = from >= 32 ? 0 : ones << from;
    });
    return i + 1;
}

void decode_mask(Decoder &d) {
    d.allow({"clamp", "wrap"});
    emit_plain(d, mask_bits, {Type::untyped, 32}, 2);
    d.body.code.back().imm = d.has("wrap");
}

// szext: the low `b` bits of `a`, extended. imm: 1 wrap, 2 signed.
const Instr *extend_bits(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    const bool wraps = i->imm & 1, with_sign = i->imm & 2;
    each(w, [=](unsigned l) {
        const std::uint32_t count = wraps ? b[l] & 31 : b[l];
        const std::uint32_t above = count >= 32 ? 0 : ~0u << count;
        const bool sign = with_sign && count && a[l] >> (std::min(count, 32u) - 1) & 1;
        d[l] = sign ? a[l] | above : a[l] & ~above;
    });
    return i + 1;
}

void decode_extended(Decoder &d) {
    d.allow({"clamp", "wrap"});
    const Type type = d.needs_type();
    if (type.width() != 32 || d.has("clamp") == d.has("wrap")) d.unknown();
    emit_plain(d, extend_bits, type, 2);
    d.body.code.back().imm = (d.has("wrap") ? 1u : 0u) | (type.is_signed() ? 2u : 0u);
}

// fns: the n-th set bit from a base on.
const Instr *nth_set(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const auto *const a = w.reg<std::uint32_t>(i->a), *const b = w.reg<std::uint32_t>(i->b);
    const auto *const c = w.reg<std::int32_t>(i->c);
    each(w, [=](unsigned l) {
        std::int64_t left = c[l];
        const std::int64_t step = left < 0 ? -1 : 1;
        left *= step;
        std::uint32_t position = ~0u;
        for (std::int64_t at = b[l]; at >= 0 && at < 32; at += step) {
            if (c[l] == 0) { // the base itself
                position = a[l] >> at & 1 ? static_cast<std::uint32_t>(at) : ~0u;
                break;
            }
            if (a[l] >> at & 1 && --left == 0) {
                position = static_cast<std::uint32_t>(at);
                break;
            }
        }
        d[l] = position;
    });
    return i + 1;
}

void decode_nth(Decoder &d) {
    d.allow({});
    emit_plain(d, nth_set, {Type::untyped, 32}, 3);
}

} // namespace

std::vector<Decoding> bits_group() {
    return {{"and", decode_logic<And, Logic::and_>},
            {"or", decode_logic<Or, Logic::or_>},
            {"xor", decode_logic<Xor, Logic::xor_>},
            {"not", decode_not},
            {"cnot", decode_not},
            {"shl", decode_shift},
            {"shr", decode_shift},
            {"lop3", decode_lop3},
            {"shf", decode_funnel},
            {"prmt", decode_permute},
            {"popc", count_bits},
            {"clz", count_bits},
            {"bfind", count_bits},
            {"brev", decode_reverse},
            {"bfe", decode_extract},
            {"bfi", decode_insert},
            {"bmsk", decode_mask},
            {"szext", decode_extended},
            {"fns", decode_nth}};
}

} // namespace pygpu::host::ptx
