// Arithmetic of f32 and f64 (PTX ISA, "Floating Point Instructions"). Nothing is contracted.
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/nans.hpp"
#include "ptx/instructions/operations.hpp"
#include "ptx/instructions/rounding.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace pygpu::host::ptx {

Modifiers how_of(const Decoder &d) {
    Modifiers how{d.has("ftz"), d.has("sat"), d.has("relu"), Round::nearest};
    how.round = d.has("rz")   ? Round::zero
                : d.has("rm") ? Round::down
                : d.has("rp") ? Round::up
                              : Round::nearest;
    return how;
}

namespace {

struct Add {
    template <class T> static T of(T a, T b) { return a + b; }
};
struct Sub {
    template <class T> static T of(T a, T b) { return a - b; }
};
struct Mul {
    template <class T> static T of(T a, T b) { return a * b; }
};
struct Div {
    template <class T> static T of(T a, T b) { return a / b; }
};
struct Fma {
    template <class T> static T of(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Rcp {
    template <class T> static T of(T a) { return T{1} / a; }
};
struct Sqrt {
    template <class T> static T of(T a) { return std::sqrt(a); }
};
struct Rsqrt {
    static double of(double a) { return 1 / std::sqrt(a); }
    static float of(float a) { return static_cast<float>(1 / std::sqrt(static_cast<double>(a))); }
};
struct Sin {
    static float of(float a) { return std::sin(a); }
};
struct Cos {
    static float of(float a) { return std::cos(a); }
};
struct Ex2 {
    static float of(float a) { return std::exp2(a); }
};
struct Lg2 {
    static float of(float a) { return std::log2(a); }
};
struct Tanh {
    static float of(float a) { return std::tanh(a); }
};

// "If one of the inputs is NaN, the result is the other one"; with .NaN it is NaN. -0 is less than +0.
template <bool Greater, bool Nan> struct Extreme {
    template <class T> static T of(T a, T b) {
        if (a != a) return Nan ? a : b;
        if (b != b) return Nan ? b : a;
        if (a == b) return std::signbit(a) != Greater ? a : b;
        return (a < b) != Greater ? a : b;
    }
};
template <bool Greater, bool Nan> struct ExtremeXorsign {
    static float of(float a, float b) {
        const float size = Extreme<Greater, Nan>::of(std::fabs(a), std::fabs(b));
        return std::signbit(a) != std::signbit(b) ? -size : size;
    }
};

struct Abs {
    static float of(float a) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x7fffffffu); }
    static double of(double a) { return std::fabs(a); }
};
struct Neg {
    static float of(float a) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) ^ 0x80000000u); }
    static double of(double a) { return -a; }
};
struct Copysign {
    template <class T> static T of(T a, T b) { return std::copysign(b, a); }
};

// With the NaNs of a card. Of two NaNs f64 takes the second operand's, but a division the first's.
template <class F> struct Canonical {
    static double of(double a) { return settled(F::of(a), a); }
    static double of(double a, double b) {
        return std::is_same_v<F, Div> ? settled(F::of(a, b), a, b) : settled(F::of(a, b), b, a);
    }
    static double of(double a, double b, double c) { return settled(F::of(a, b, c), b, c, a); }
    template <std::same_as<float>... T> static float of(T... a) { return canonical(F::of(a...)); }
};

// F of f64 for a whole warp, in a loop that becomes vector instructions. Where a result is NaN, which is
// rare, `careful` does the work again. So the operands must not be overwritten before.
template <class F, Handler careful, class... Operands>
[[gnu::always_inline]] inline const Instr *of_doubles(const Instr *i, Warp &w, const Operands *...operands) {
    if (!w.whole) return careful(i, w);
    double kept[warp_size];
    double *const d = w.reg<double>(i->d), *const results = ((operands == d) || ...) ? kept : d;
    std::uint64_t nans = 0;
    PYGPU_LANES
    for (unsigned l = 0; l < warp_size; ++l) {
        const double result = F::of(operands[l]...);
        results[l] = result;
        nans |= sign_if_nan(result);
    }
    if (nans & sign_bit) return careful(i, w);
    if (results != d) std::copy_n(results, warp_size, d);
    return i + 1;
}
template <class F> const Instr *unary_doubles(const Instr *i, Warp &w) {
    return of_doubles<F, unary<double, Canonical<F>>>(i, w, w.reg<double>(i->a));
}
template <class F> const Instr *binary_doubles(const Instr *i, Warp &w) {
    return of_doubles<F, binary<double, Canonical<F>>>(i, w, w.reg<double>(i->a), w.reg<double>(i->b));
}
template <class F> const Instr *ternary_doubles(const Instr *i, Warp &w) {
    return of_doubles<F, ternary<double, Canonical<F>>>(i, w, w.reg<double>(i->a), w.reg<double>(i->b),
                                                        w.reg<double>(i->c));
}

// With modifiers.
template <class T, class F, unsigned Operands> const Instr *modified(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b), *const c = w.reg<T>(i->c);
    const Modifiers how = Modifiers::of(i->imm);
    const Rounding rounding(how.round);
    using Of = std::conditional_t<std::is_same_v<T, double>, Canonical<F>, F>;
    const auto in = [how](T value) { return how.ftz ? flushed(value) : value; };
    each_active(w, [=](unsigned l) {
        T result;
        if constexpr (Operands == 1)
            result = Of::of(in(a[l]));
        else if constexpr (Operands == 2)
            result = Of::of(in(a[l]), in(b[l]));
        else
            result = Of::of(in(a[l]), in(b[l]), in(c[l]));
        if (how.ftz) result = flushed(result);
        if (how.relu && result < 0) result = 0;
        d[l] = how.sat ? saturated(result) : canonical(result);
    });
    return i + 1;
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
// For processors with fused multiply-add: std::fma would be a call for each lane.
__attribute__((target("avx2,fma"))) const Instr *fused_floats(const Instr *i, Warp &w) {
    float *const d = w.reg<float>(i->d);
    const float *const a = w.reg<float>(i->a), *const b = w.reg<float>(i->b), *const c = w.reg<float>(i->c);
    const auto one = [](float x, float y, float z) __attribute__((target("avx2,fma"), always_inline)) {
        const float result = __builtin_fmaf(x, y, z);
        return result != result ? std::bit_cast<float>(0x7fffffffu) : result;
    };
    if (w.whole) {
        PYGPU_LANES
        for (unsigned l = 0; l < warp_size; ++l) d[l] = one(a[l], b[l], c[l]);
    } else {
        for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(std::countr_zero(rest));
            d[l] = one(a[l], b[l], c[l]);
        }
    }
    return i + 1;
}
// As of_doubles(), which has no instructions of these processors.
__attribute__((target("avx2,fma"))) const Instr *fused_doubles(const Instr *i, Warp &w) {
    constexpr Handler careful = ternary<double, Canonical<Fma>>;
    if (!w.whole) return careful(i, w);
    const double *const a = w.reg<double>(i->a), *const b = w.reg<double>(i->b),
                        *const c = w.reg<double>(i->c);
    double kept[warp_size];
    double *const d = w.reg<double>(i->d), *const results = a == d || b == d || c == d ? kept : d;
    std::uint64_t nans = 0;
    PYGPU_LANES
    for (unsigned l = 0; l < warp_size; ++l) {
        const double result = __builtin_fma(a[l], b[l], c[l]);
        results[l] = result;
        nans |= sign_if_nan(result);
    }
    if (nans & sign_bit) return careful(i, w);
    if (results != d) std::copy_n(results, warp_size, d);
    return i + 1;
}

Handler plain_fma(bool wide) {
    static const bool has = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    if (wide) return has ? fused_doubles : ternary_doubles<Fma>;
    return has ? fused_floats : ternary<float, Canonical<Fma>>;
}
#else
Handler plain_fma(bool wide) { return wide ? ternary_doubles<Fma> : ternary<float, Canonical<Fma>>; }
#endif

template <class F> Handler two(Type type, bool plain) {
    if (type.bits == 32) return plain ? binary<float, Canonical<F>> : modified<float, F, 2>;
    return plain ? binary_doubles<F> : modified<double, F, 2>;
}
template <class F> Handler one(Type type, bool plain) {
    if (type.bits == 32) return plain ? unary<float, Canonical<F>> : modified<float, F, 1>;
    return plain ? unary_doubles<F> : modified<double, F, 1>;
}

Type real_type(const Decoder &d) {
    const Type type = d.needs_type();
    if (type.kind != Type::real || type.lanes != 1 || type.bits < 32) d.unknown();
    return type;
}

void emit_float(Decoder &d, Handler run, Type type, unsigned operands) {
    const std::uint64_t how = how_of(d).packed();
    emit_plain(d, run, type, operands);
    d.body.code.back().imm = how;
}

template <class F> void decode_two(Decoder &d) {
    d.allow({"rn", "rz", "rm", "rp", "ftz", "sat", "approx", "full"});
    const Type type = real_type(d);
    emit_float(d, two<F>(type, !how_of(d).packed()), type, 2);
}

void decode_fma(Decoder &d) {
    d.allow({"rn", "rz", "rm", "rp", "ftz", "sat"});
    const Type type = real_type(d);
    const bool plain = !how_of(d).packed();
    emit_float(d,
               plain             ? plain_fma(type.bits == 64)
               : type.bits == 32 ? modified<float, Fma, 3>
                                 : modified<double, Fma, 3>,
               type, 3);
}

template <bool Greater> void decode_extreme(Decoder &d) {
    d.allow({"ftz", "NaN", "xorsign", "abs"});
    const Type type = real_type(d);
    const bool three = d.count() == 4, plain = !how_of(d).packed(), nan = d.has("NaN");
    if (three && (type != Type{Type::real, 32} || d.has("xorsign"))) d.unknown();
    if (!three && (d.count() != 3 || (d.has("abs") && !d.has("xorsign")))) d.unknown();
    if (three) { // of the first two, then of that and the third
        const Handler run =
            nan ? two<Extreme<Greater, true>>(type, plain) : two<Extreme<Greater, false>>(type, plain);
        std::uint32_t operands[3];
        for (std::size_t at = 0; at < 3; ++at) {
            operands[at] = d.in(at + 1, type);
            if (!d.has("abs")) continue;
            const std::uint32_t size = d.temporary(32);
            Instr &instr = d.emit(unary<float, Abs>);
            instr.d = size;
            instr.a = operands[at];
            operands[at] = size;
        }
        const std::uint32_t both = d.temporary(32), to = d.out(std::size_t{0}, type);
        for (const bool last : {false, true}) {
            Instr &instr = d.emit(run);
            instr.d = last ? to : both;
            instr.a = last ? both : operands[0];
            instr.b = last ? operands[2] : operands[1];
            instr.imm = how_of(d).packed();
        }
        return;
    }
    if (d.has("xorsign")) {
        return emit_float(d,
                          nan ? modified<float, ExtremeXorsign<Greater, true>, 2>
                              : modified<float, ExtremeXorsign<Greater, false>, 2>,
                          type.bits == 32 ? type : Type{}, 2);
    }
    emit_float(d, nan ? two<Extreme<Greater, true>>(type, plain) : two<Extreme<Greater, false>>(type, plain),
               type, 2);
}

template <class F> void decode_sign(Decoder &d) {
    d.allow({"ftz"});
    const Type type = real_type(d);
    if (how_of(d).ftz) return emit_float(d, one<F>(type, false), type, 1);
    // A card adds zero for f64: NaN keeps its sign.
    emit_float(d, type.bits == 32 ? unary<float, F> : unary_doubles<F>, type, 1);
}

void decode_copysign(Decoder &d) {
    d.allow({});
    const Type type = real_type(d);
    emit_float(d, type.bits == 32 ? binary<float, Copysign> : binary<double, Copysign>, type, 2);
}

// "rcp.approx.ftz.f64: the lower 32 bits of the result are zero". It has one NaN, as f32 has.
template <class F> struct ApproximateF64 {
    static double of(double a) {
        const auto cut = [](double value) {
            return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xffffffff00000000u);
        };
        const double x = cut(a), flushed = std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0., x) : x;
        const double result = cut(F::of(flushed));
        if (a != a || result != result) return std::bit_cast<double>(0x7fffffff00000000u);
        return std::fpclassify(result) == FP_SUBNORMAL ? std::copysign(0., result) : result;
    }
};

template <class F> void decode_root(Decoder &d) {
    d.allow({"rn", "rz", "rm", "rp", "ftz", "approx"});
    const Type type = real_type(d);
    if (type.bits == 64 && d.has("approx") && d.has("ftz") && d.base != "sqrt")
        return emit_float(d, unary<double, ApproximateF64<F>>, type, 1);
    emit_float(d, one<F>(type, !how_of(d).packed()), type, 1);
}

template <class F> void decode_approximate(Decoder &d) {
    d.allow({"ftz", "approx"});
    const Type type = real_type(d);
    if (type.bits != 32) d.unknown();
    emit_float(d, how_of(d).packed() ? modified<float, F, 1> : unary<float, Canonical<F>>, type, 1);
}

// testp: a property of a number.
template <class T> const Instr *test(const Instr *i, Warp &w) {
    const T *const a = w.reg<T>(i->a);
    std::uint32_t bits = 0;
    for (unsigned l = 0; l < warp_size; ++l) {
        const int kind = std::fpclassify(a[l]);
        // "Positive and negative zero are considered normal numbers" (PTX ISA, "testp").
        const bool holds[] = {std::isfinite(a[l]),
                              std::isinf(a[l]),
                              kind != FP_NAN,
                              kind == FP_NAN,
                              kind == FP_NORMAL || kind == FP_ZERO,
                              kind == FP_SUBNORMAL};
        bits |= (holds[i->imm] ? 1u : 0u) << l;
    }
    set_pred(w, i->d, bits);
    return i + 1;
}

void decode_test(Decoder &d) {
    const Type type = real_type(d);
    std::uint64_t which = 0;
    for (const std::string_view name :
         {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
        if (d.has(name)) break;
        ++which;
    }
    if (which > 5) d.unknown();
    const std::uint32_t a = d.in(1, type), to = d.pred_out(d.operand(0));
    Instr &instr = d.emit(type.bits == 32 ? test<float> : test<double>);
    instr.d = to;
    instr.a = a;
    instr.imm = which;
}

// Narrow floats have handlers of their own, under the same opcodes.
template <Decode Wide> void narrow_or(Decoder &d) {
    const Type type = d.type();
    if (type.bits != 16) return Wide(d);
    static const auto *narrow = [] {
        auto *instance = new std::unordered_map<std::string_view, Decode>;
        for (const Decoding &one : half_group()) instance->emplace(one.base, one.decode);
        return instance;
    }();
    const auto entry = narrow->find(d.base);
    if (entry == narrow->end()) d.unknown();
    entry->second(d);
}

} // namespace

// The integer group looks up here the opcodes that both groups have.
std::vector<Decoding> float_group() {
    return {{"add", narrow_or<decode_two<Add>>},
            {"sub", narrow_or<decode_two<Sub>>},
            {"mul", narrow_or<decode_two<Mul>>},
            {"div", decode_two<Div>},
            {"mad", decode_fma},
            {"fma", narrow_or<decode_fma>},
            {"min", narrow_or<decode_extreme<false>>},
            {"max", narrow_or<decode_extreme<true>>},
            {"abs", narrow_or<decode_sign<Abs>>},
            {"neg", narrow_or<decode_sign<Neg>>},
            {"copysign", decode_copysign},
            {"testp", decode_test}};
}

std::vector<Decoding> math_group() {
    return {{"rcp", decode_root<Rcp>},        {"sqrt", decode_root<Sqrt>},
            {"rsqrt", decode_root<Rsqrt>},    {"sin", decode_approximate<Sin>},
            {"cos", decode_approximate<Cos>}, {"ex2", narrow_or<decode_approximate<Ex2>>},
            {"lg2", decode_approximate<Lg2>}, {"tanh", narrow_or<decode_approximate<Tanh>>}};
}

} // namespace pygpu::host::ptx
