// Handlers of instructions that compute each lane's result from its own operands.
#pragma once

#include "ptx/machine/lanes.hpp"
#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {

// F::of(a) and so on; of<T> has the type of the registers.
template <class T, class F> const Instr *unary(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a);
    each(w, [=](unsigned l) { d[l] = static_cast<T>(F::of(a[l])); });
    return i + 1;
}
template <class T, class F> const Instr *binary(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b);
    each(w, [=](unsigned l) { d[l] = static_cast<T>(F::of(a[l], b[l])); });
    return i + 1;
}
template <class T, class F> const Instr *ternary(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a), *const b = w.reg<T>(i->b), *const c = w.reg<T>(i->c);
    each(w, [=](unsigned l) { d[l] = static_cast<T>(F::of(a[l], b[l], c[l])); });
    return i + 1;
}

// The form for unsigned registers of a width, or for a type with its sign.
#define PYGPU_FORMS(form)                                                                                    \
    template <class F> Handler form##_of_width(unsigned bits) {                                              \
        return bits == 16   ? form<std::uint16_t, F>                                                         \
               : bits == 32 ? form<std::uint32_t, F>                                                         \
               : bits == 64 ? form<std::uint64_t, F>                                                         \
                            : Handler{};                                                                     \
    }                                                                                                        \
    template <class F> Handler form##_of_type(Type type) {                                                   \
        if (!type.is_signed()) return form##_of_width<F>(type.bits);                                         \
        return type.bits == 16   ? form<std::int16_t, F>                                                     \
               : type.bits == 32 ? form<std::int32_t, F>                                                     \
               : type.bits == 64 ? form<std::int64_t, F>                                                     \
                                 : Handler{};                                                                \
    }
PYGPU_FORMS(unary)
PYGPU_FORMS(binary)
PYGPU_FORMS(ternary)
#undef PYGPU_FORMS

// Emits "op d, a[, b[, c]]" with all operands of one type.
inline void emit_plain(Decoder &d, Handler run, Type type, unsigned operands) {
    if (!run || type.lanes != 1) d.unknown();
    std::uint32_t slots[3] = {};
    for (unsigned index = 0; index < operands; ++index) slots[index] = d.in(index + 1, type);
    const std::uint32_t to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(run);
    instr.d = to;
    instr.a = slots[0];
    instr.b = slots[1];
    instr.c = slots[2];
}

} // namespace pygpu::host::ptx
