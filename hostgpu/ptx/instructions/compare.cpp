// setp, set, selp, slct (PTX ISA, "Comparison and Selection Instructions").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/operations.hpp"
#include "ptx/instructions/rounding.hpp"

namespace pygpu::host::ptx {
namespace {

struct Eq {
    template <class T> static bool of(T a, T b) { return a == b; }
};
struct Lt {
    template <class T> static bool of(T a, T b) { return a < b; }
};
struct Le {
    template <class T> static bool of(T a, T b) { return a <= b; }
};
struct Num {
    template <class T> static bool of(T a, T b) { return a == a && b == b; }
}; // no NaN
struct Ne {
    template <class T> static bool of(T a, T b) { return a < b || a > b; }
};

enum class With { none, and_, or_, xor_ };
struct Pair {
    bool negated; // the result of the comparison is negated
    bool ftz;
    With with; // a third predicate

    std::uint64_t packed() const {
        return (negated ? 1u : 0u) | (ftz ? 2u : 0u) | static_cast<unsigned>(with) << 2;
    }
};

// p = (a op b) with c, q = !(a op b) with c. imm: how; extra's place: q.
template <class T, class Op> const Instr *compare(const Instr *i, Warp &w) {
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b);
    alignas(32) std::uint8_t holds[warp_size];
    if (i->imm & 2) {
        if constexpr (std::is_same_v<T, float>) {
            for (unsigned l = 0; l < warp_size; ++l) holds[l] = Op::of(flushed(a[l]), flushed(b[l]));
        }
    } else {
        PYGPU_LANES
        for (unsigned l = 0; l < warp_size; ++l) holds[l] = Op::of(a[l], b[l]);
    }
    std::uint32_t bits = mask_of(holds);
    if (i->imm & 1) bits = ~bits;
    std::uint32_t other = ~bits;
    if (i->imm >> 2) {
        const std::uint32_t c = w.pred(i->c);
        const auto join = [&](std::uint32_t one) {
            const auto with = static_cast<With>(i->imm >> 2);
            return with == With::and_ ? one & c : with == With::or_ ? one | c : one ^ c;
        };
        bits = join(bits);
        other = join(other);
    }
    set_pred(w, i->d, bits);
    if (i->extra) set_pred(w, i->extra->slots[0], other);
    return i + 1;
}

template <class Op> Handler ordered(Type type) {
    if (type.kind == Type::real) return type.bits == 32 ? compare<float, Op> : compare<double, Op>;
    if (type.is_signed())
        return type.bits == 16   ? compare<std::int16_t, Op>
               : type.bits == 32 ? compare<std::int32_t, Op>
                                 : compare<std::int64_t, Op>;
    return type.bits == 16   ? compare<std::uint16_t, Op>
           : type.bits == 32 ? compare<std::uint32_t, Op>
                             : compare<std::uint64_t, Op>;
}

constexpr std::uint64_t with_ftz = 32;

// imm: by how many bits the value is shifted up in the register, with .ftz.
template <class Format, class From> const Instr *widen(const Instr *i, Warp &w) {
    float *const d = w.reg<float>(i->d);
    const From *const a = w.reg<From>(i->a);
    const auto by = static_cast<unsigned>(i->imm & 31);
    const bool ftz = i->imm & with_ftz;
    each(w, [=](unsigned l) {
        const auto bits = static_cast<std::uint16_t>(a[l] >> by);
        d[l] = Format::widen(ftz ? Format::flushed(bits) : bits);
    });
    return i + 1;
}

// Widens an operand, or one half of a packed one.
std::uint32_t widened(Decoder &d, const Operand &from, Type type, unsigned half) {
    const bool brain = type.kind == Type::brain;
    const std::uint32_t a = d.in(from, {Type::untyped, static_cast<std::uint8_t>(type.width())});
    const std::uint32_t to = d.temporary(32);
    Instr &instr = type.lanes == 1 ? d.emit(brain ? widen<Brain, std::uint16_t> : widen<Half, std::uint16_t>)
                                   : d.emit(brain ? widen<Brain, std::uint32_t> : widen<Half, std::uint32_t>);
    instr.d = to;
    instr.a = a;
    instr.imm = std::uint64_t{16} * half | (d.has("ftz") ? with_ftz : 0);
    return to;
}

// Emits an opcode's comparison into predicates. A boolean operation may join it with a third predicate.
void emit_compare(Decoder &d, Type type, std::uint32_t p, const std::uint32_t *q, std::size_t first,
                  unsigned half_at = 0) {
    if (type.bits * type.lanes > 64 || (type.lanes == 2 && (!type.is_float() || type.bits != 16)))
        d.unknown();
    const std::string_view name = d.mods.empty() ? std::string_view{} : d.mods[0];
    const bool real = type.is_float();
    Handler run = nullptr;
    bool swapped = false;
    Pair how{false, d.has("ftz") && type.bits == 32, With::none};
    const Type kind = real && type.bits == 16 ? Type{Type::real, 32} : type;
    const auto is = [name](std::string_view one, std::string_view other = " ") {
        return name == one || name == other;
    };
    if (is("eq"))
        run = ordered<Eq>(kind);
    else if (is("ne") && !real)
        run = ordered<Eq>(kind), how.negated = true;
    else if (is("lt", "lo"))
        run = ordered<Lt>(kind);
    else if (is("le", "ls"))
        run = ordered<Le>(kind);
    else if (is("gt", "hi"))
        run = ordered<Lt>(kind), swapped = true;
    else if (is("ge", "hs"))
        run = ordered<Le>(kind), swapped = true;
    else if (!real)
        d.unknown();
    else if (is("ne"))
        run = kind.bits == 32 ? compare<float, Ne> : compare<double, Ne>;
    else if (is("equ"))
        run = kind.bits == 32 ? compare<float, Ne> : compare<double, Ne>, how.negated = true;
    else if (is("neu"))
        run = ordered<Eq>(kind), how.negated = true;
    else if (is("ltu"))
        run = ordered<Le>(kind), how.negated = swapped = true;
    else if (is("leu"))
        run = ordered<Lt>(kind), how.negated = swapped = true;
    else if (is("gtu"))
        run = ordered<Le>(kind), how.negated = true;
    else if (is("geu"))
        run = ordered<Lt>(kind), how.negated = true;
    else if (is("num"))
        run = kind.bits == 32 ? compare<float, Num> : compare<double, Num>;
    else if (is("nan"))
        run = kind.bits == 32 ? compare<float, Num> : compare<double, Num>, how.negated = true;
    else
        d.unknown();
    how.with = d.has("and") ? With::and_ : d.has("or") ? With::or_ : d.has("xor") ? With::xor_ : With::none;
    const bool half = real && type.bits == 16;
    std::uint32_t a = half ? widened(d, d.operand(first), type, half_at) : d.in(first, type);
    std::uint32_t b = half ? widened(d, d.operand(first + 1), type, half_at) : d.in(first + 1, type);
    const std::uint32_t c = how.with == With::none ? 0 : d.pred_in(d.operand(first + 2));
    if (swapped) std::swap(a, b);
    Extra *more = nullptr;
    if (q) {
        more = &d.extra();
        more->slots = {*q};
    }
    Instr &instr = d.emit(run);
    instr.d = p;
    instr.a = a;
    instr.b = b;
    instr.c = c;
    instr.imm = how.packed();
    instr.extra = more;
}

void decode_setp(Decoder &d) {
    const Type type = d.needs_type();
    if (type.bits < 16 || type.bits > 64) d.unknown();
    const bool two = d.operand(1).second;
    if (two && type.is_float() && type.bits == 16 && type.lanes == 1) d.unknown("it takes one predicate");
    const std::uint32_t p = d.pred_out(d.operand(0));
    const std::uint32_t q = two ? d.pred_out(d.operand(1)) : 0;
    if (type.lanes == 2) { // a predicate for each of the packed values
        if (!two || p == q) d.unknown("it takes two predicates");
        // The third predicate may be one of the two results: that one is written last.
        const Operand &third = d.operand(4);
        const bool backwards = third.kind == Operand::reg && d.slot(third.index).at == p;
        for (const unsigned half : {backwards ? 1u : 0u, backwards ? 0u : 1u})
            emit_compare(d, type, half ? q : p, nullptr, 2, half);
        return;
    }
    emit_compare(d, type, p, two ? &q : nullptr, two ? 2 : 1);
}

template <class T> const Instr *select(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b);
    const std::uint32_t mask = w.pred(i->c);
    each(w, [=](unsigned l) {
        const T take = static_cast<T>(0 - static_cast<T>(mask >> l & 1));
        d[l] = static_cast<T>((a[l] & take) | (b[l] & static_cast<T>(~take)));
    });
    return i + 1;
}

Handler select_of(unsigned bits) {
    return bits <= 16 ? select<std::uint16_t> : bits == 32 ? select<std::uint32_t> : select<std::uint64_t>;
}

void emit_select(Decoder &d, Type type, std::uint32_t a, std::uint32_t b, std::uint32_t mask) {
    if (type.width() > 64) d.unknown();
    const std::uint32_t to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(select_of(type.width()));
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.c = mask;
}

void decode_selp(Decoder &d) {
    d.allow({});
    const Type type = d.needs_type();
    const std::uint32_t a = d.in(1, type), b = d.in(2, type), c = d.pred_in(d.operand(3));
    emit_select(d, type, a, b, c);
}

// What two predicates say of the halves. imm: what holds is written as.
const Instr *set_halves(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const std::uint32_t low = w.pred(i->a), high = w.pred(i->b);
    const auto one = static_cast<std::uint32_t>(i->imm);
    each(w, [=](unsigned l) { d[l] = (low >> l & 1) * one | (high >> l & 1) * one << 16; });
    return i + 1;
}

// set: all ones or 1.0 where it holds; of packed values in each half.
void decode_set(Decoder &d) {
    const Type to = d.needs_type(1), type = d.needs_type(0);
    const bool packed = type.lanes == 2;
    if (type.bits < 16 || (packed ? to.width() != 32 || (to.is_float() && to != type) : to.lanes != 1))
        d.unknown();
    const std::uint64_t one = !to.is_float()           ? packed ? 0xffffu : ~0ull
                              : to.bits == 32          ? 0x3f800000u
                              : to.kind == Type::brain ? 0x3f80u
                                                       : 0x3c00u;
    const std::uint32_t p = d.pred_out({});
    emit_compare(d, type, p, nullptr, 1);
    if (!packed) return emit_select(d, to, d.constant(one, to.bits), d.constant(0, to.bits), p);
    const std::uint32_t q = d.pred_out({});
    emit_compare(d, type, q, nullptr, 1, 1);
    const std::uint32_t at = d.out(std::size_t{0}, {Type::untyped, 32});
    Instr &instr = d.emit(set_halves);
    instr.d = at;
    instr.a = p;
    instr.b = q;
    instr.imm = one;
}

// slct: a where c >= 0, else b.
void decode_slct(Decoder &d) {
    const Type type = d.needs_type(1), of = d.needs_type(0);
    if (of.bits != 32) d.unknown();
    const std::uint32_t a = d.in(1, type), b = d.in(2, type), c = d.in(3, of), p = d.pred_out({});
    Instr &instr = d.emit(of.is_float() ? compare<float, Le> : compare<std::int32_t, Le>);
    instr.d = p;
    instr.a = d.constant(0, 32);
    instr.b = c;
    instr.imm = Pair{false, d.has("ftz"), With::none}.packed();
    emit_select(d, type, a, b, p);
}

} // namespace

std::vector<Decoding> compare_group() {
    return {{"setp", decode_setp}, {"selp", decode_selp}, {"set", decode_set}, {"slct", decode_slct}};
}

} // namespace pygpu::host::ptx
