// Instructions that the decoder adds: guards, places where lanes meet, conversions of operands, addresses.
#include "ptx/instructions/implied.hpp"

#include "ptx/machine/lanes.hpp"

namespace pygpu::host::ptx::implied {
namespace {

// imm: what is added before, which wraps.
template <class To, class From> const Instr *extend(const Instr *i, Warp &w) {
    To *const d = w.reg<To>(i->d);
    const From *const a = w.reg<From>(i->a);
    const auto offset = static_cast<From>(i->imm);
    each(w, [=](unsigned l) { d[l] = static_cast<To>(static_cast<From>(a[l] + offset)); });
    return i + 1;
}

} // namespace

const Instr *guarded(const Instr *i, Warp &w) {
    const std::uint32_t lanes = (w.pred(i->guard) ^ i->flip) & w.exec;
    if (lanes == w.exec) return i->inner(i, w);
    if (!lanes) return i + 1;
    const std::uint32_t all = w.exec;
    const bool whole = w.whole;
    w.exec = lanes;
    w.whole = false;
    const Instr *const next = i->inner(i, w);
    w.exec = all;
    w.whole = whole;
    return next;
}

const Instr *join(const Instr *i, Warp &w) {
    return w.stop_at && i >= w.stop_at ? w.leave(Warp::Event::again, i) : i + 1;
}

const Instr *skip(const Instr *i, Warp &w) {
    const std::uint32_t skipping = ~(w.pred(i->guard) ^ i->flip) & w.exec;
    if (!skipping) return i + 1;
    if (skipping == w.exec) return w.jump(i, i->target);
    return w.split(skipping, i->target, i + 1);
}

const Instr *refuse(const Instr *i, Warp &w) {
    return w.fail(Fault::launch_failure, i, i->extra->text, static_cast<unsigned>(std::countr_zero(w.exec)));
}

const Instr *invert(const Instr *i, Warp &w) {
    w.pred(i->d) = ~w.pred(i->a);
    return i + 1;
}

const Instr *holds(const Instr *i, Warp &w) {
    const auto *const a = w.reg<std::uint32_t>(i->a);
    std::uint32_t bits = 0;
    for (unsigned l = 0; l < warp_size; ++l) bits |= (a[l] ? 1u : 0u) << l;
    w.pred(i->d) = bits;
    return i + 1;
}

const Instr *local_address(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    const std::uint64_t alignment = i->b, begin = (w.frame->local_at + alignment - 1) / alignment * alignment;
    const std::uint64_t at = begin + i->imm;
    each(w, [=](unsigned l) { d[l] = at; });
    return i + 1;
}

const Instr *parameter_address(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    const auto at = reinterpret_cast<std::uint64_t>(w.block->launch.parameters.data()) + i->imm;
    each(w, [=](unsigned l) { d[l] = at; });
    return i + 1;
}

Handler convert(unsigned from, unsigned to, bool is_signed) {
    switch (from * 100 + to) {
    case 1632:
        return is_signed ? extend<std::int32_t, std::int16_t> : extend<std::uint32_t, std::uint16_t>;
    case 1664:
        return is_signed ? extend<std::int64_t, std::int16_t> : extend<std::uint64_t, std::uint16_t>;
    case 3264:
        return is_signed ? extend<std::int64_t, std::int32_t> : extend<std::uint64_t, std::uint32_t>;
    case 3216:
        return extend<std::uint16_t, std::uint32_t>;
    case 6416:
        return extend<std::uint16_t, std::uint64_t>;
    case 6432:
        return extend<std::uint32_t, std::uint64_t>;
    default:
        return nullptr;
    }
}

} // namespace pygpu::host::ptx::implied
