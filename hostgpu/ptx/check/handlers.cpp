// Handlers of the checker's instructions.
#include "ptx/check/handlers.hpp"

#include "ptx/check/names.hpp"

namespace pygpu::host::ptx::check {
namespace {

template <Window In> const Instr *check_access(const Instr *i, Warp &w) {
    Block &block = *w.block;
    Checker &checker = *checker_of(block);
    const auto *const a = w.reg<std::uint64_t>(i->a);
    const std::size_t size = size_of(*i);
    block.worker->forget_released();
    AddressRange &hint = block.worker->hints[i->hint];
    each_active(w, [&](unsigned l) {
        const std::uint64_t address = wrapped<In>(a[l] + i->imm);
        const std::uint32_t thread = w.number * warp_size + l;
        const bool aligned = !(address & (size - 1)); // else the access itself fails
        const auto shared = [&](std::uint64_t offset) {
            if (!aligned) return checker.misaligned(*i, w, l, offset, Window::shared);
            if (!checker.has_shared(offset, size)) return checker.beyond(*i, w, l, offset, Window::shared);
            if (kind_of(*i) & atomic)
                checker.order_by(*i, w, l, reinterpret_cast<std::uintptr_t>(block.shared) + offset);
            checker.touch_shared(*i, w, l, offset);
        };
        const auto local = [&](std::uint32_t owner, std::uint64_t offset) {
            if (!aligned) return checker.misaligned(*i, w, l, offset, Window::local);
            if (owner != thread) return checker.foreign(*i, w, l, owner);
            if (!is_local(*w.frame, offset, size)) return checker.beyond(*i, w, l, offset, Window::local);
            checker.touch_local(*i, w, l, thread, offset);
        };
        const auto within = [](std::uint64_t offset, std::size_t room) { return offset < room; };
        if constexpr (In == Window::shared) {
            shared(address);
        } else if constexpr (In == Window::local) {
            local(thread, address);
        } else {
            const std::uint64_t in_shared = address - reinterpret_cast<std::uintptr_t>(block.shared);
            const std::uint64_t in_local = address - reinterpret_cast<std::uintptr_t>(block.local);
            if (within(in_shared, block.shared_size)) return shared(in_shared);
            if (block.local && within(in_local, block.local_size * block.threads))
                return local(static_cast<std::uint32_t>(in_local / block.local_size),
                             in_local % block.local_size);
            if (!aligned) return checker.misaligned(*i, w, l, address, In);
            if (kind_of(*i) & atomic) checker.order_by(*i, w, l, address);
            if (hint.has(address, size) || generic_memory(w, address, size, hint, ptx::writes(*i)))
                checker.touch_global(*i, w, l, address);
            else
                checker.beyond(*i, w, l, address, In);
        }
    });
    return i + 1;
}

const Instr *enter_handler(const Instr *i, Warp &w) {
    const auto *const masks = w.reg<std::uint32_t>(i->a);
    each_active(w, [&](unsigned l) {
        if (masks[l] && !(masks[l] >> l & 1)) checker_of(*w.block)->unnamed(*i, w, l, masks[l]);
        checker_of(*w.block)->enter(w, 1u << l, masks[l]);
    });
    return i + 1;
}

const Instr *leave_handler(const Instr *i, Warp &w) {
    const auto *const masks = w.reg<std::uint32_t>(i->a);
    each_active(w, [&](unsigned l) { checker_of(*w.block)->leave(w, 1u << l, masks[l]); });
    return i + 1;
}

const Instr *end_group_handler(const Instr *i, Warp &w) {
    checker_of(*w.block)->end_group(w);
    return i + 1;
}

const Instr *wait_handler(const Instr *i, Warp &w) {
    checker_of(*w.block)->wait_for_groups(w, i->imm);
    return i + 1;
}

const Instr *begin_handler(const Instr *i, Warp &w) {
    checker_of(*w.block)->fresh_local(w);
    return i + 1;
}

const Instr *give_up_handler(const Instr *i, Warp &w) {
    checker_of(*w.block)->give_up();
    return i + 1;
}

} // namespace

void before_access(Decoder &d, const Addressed &at, std::size_t size, std::uint32_t kind,
                   const std::uint32_t *value) {
    if (!d.loaded.checks || at.window == Window::cluster) return; // other blocks' memory isn't followed
    d.follow_access();
    const std::uint32_t hint = new_hint(d, kind & writes);
    Instr &instr = d.emit(at.window == Window::shared  ? check_access<Window::shared>
                          : at.window == Window::local ? check_access<Window::local>
                                                       : check_access<Window::generic>);
    instr.a = at.base;
    instr.imm = at.offset;
    instr.b = kind | static_cast<std::uint32_t>(size) << 8;
    instr.hint = hint;
    instr.c = value ? 1 : 0;
    if (value) instr.d = *value;
}

void enter_lanes(Decoder &d, std::uint32_t mask) {
    if (d.loaded.checks) d.emit(enter_handler).a = mask;
}

void leave_lanes(Decoder &d, std::uint32_t mask) {
    if (d.loaded.checks) d.emit(leave_handler).a = mask;
}

void end_group(Decoder &d) {
    if (d.loaded.checks) d.emit(end_group_handler);
}

void wait_for_groups(Decoder &d, std::uint64_t but) {
    if (d.loaded.checks) d.emit(wait_handler).imm = but;
}

void begin_function(Decoder &d) {
    if (d.loaded.checks && d.body.local) d.emit(begin_handler);
}

void give_up(Decoder &d) { d.emit(give_up_handler); }

} // namespace pygpu::host::ptx::check
