// alloca, stacksave and stackrestore (PTX ISA, "Stack Manipulation Instructions").
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/lanes.hpp"

namespace pygpu::host::ptx {
namespace {

const Instr *stack_fault(const Instr *i, Warp &w, Fault fault, const char *what) {
    return w.fail(fault, i, what, static_cast<unsigned>(std::countr_zero(w.exec)));
}

// alloca: bytes of the lane's own stack, until it is restored or the function returns. T: of addresses.
template <class T> const Instr *allocate(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const size = w.reg<T>(i->a);
    std::uint64_t most = 0;
    each_active(w, [&](unsigned l) { most = std::max<std::uint64_t>(most, size[l]); });
    Frame &frame = *w.frame;
    const std::size_t at = (frame.local_top + i->imm - 1) / i->imm * i->imm;
    const std::size_t end = std::min(w.block->launch.stack + frame.gaps, w.block->local_size);
    if (!w.block->need_local() || at > end || end - at < most)
        return stack_fault(i, w, Fault::illegal_address,
                           "the stack has no room for so many bytes (cudaLimitStackSize)");
    frame.local_top = at + most;
    each_active(w, [=](unsigned l) { d[l] = static_cast<T>(at); });
    return i + 1;
}

void decode_allocate(Decoder &d) {
    const Type type = d.needs_type();
    const std::uint64_t alignment = d.count() > 2 ? d.number(d.operand(2)) : 8;
    if (type.bits < 32 || !alignment || alignment & (alignment - 1) || alignment > 4096) d.unknown();
    const std::uint32_t size = d.in(1, type), to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(type.bits == 32 ? allocate<std::uint32_t> : allocate<std::uint64_t>);
    instr.d = to;
    instr.a = size;
    instr.imm = alignment;
}

template <class T> const Instr *save_stack(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T top = static_cast<T>(w.frame->local_top);
    each_active(w, [=](unsigned l) { d[l] = top; });
    return i + 1;
}
// The lanes of a frame share one top of the stack. While some of them are elsewhere, the memory stays
// allocated until the function returns: it may lie below memory that the others still use.
template <class T> const Instr *restore_stack(const Instr *i, Warp &w) {
    const T *const a = w.reg<T>(i->a);
    std::uint64_t top = 0;
    each_active(w, [&](unsigned l) { top = std::max<std::uint64_t>(top, a[l]); });
    Frame &frame = *w.frame;
    if (top < frame.local_at || top > w.block->local_size)
        return stack_fault(i, w, Fault::launch_failure, "the stack was never there");
    if (w.exec == frame.live) frame.local_top = top;
    return i + 1;
}

void decode_save_stack(Decoder &d) {
    const Type type = d.needs_type();
    if (type.bits < 32) d.unknown();
    const std::uint32_t to = d.out(std::size_t{0}, type);
    d.emit(type.bits == 32 ? save_stack<std::uint32_t> : save_stack<std::uint64_t>).d = to;
}
void decode_restore_stack(Decoder &d) {
    const Type type = d.needs_type();
    if (type.bits < 32) d.unknown();
    const std::uint32_t from = d.in(0, type);
    d.emit(type.bits == 32 ? restore_stack<std::uint32_t> : restore_stack<std::uint64_t>).a = from;
}

} // namespace

std::vector<Decoding> stack_group() {
    return {{"alloca", decode_allocate},
            {"stacksave", decode_save_stack},
            {"stackrestore", decode_restore_stack}};
}

} // namespace pygpu::host::ptx
