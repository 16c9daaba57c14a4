// Decoding [register + offset].
#include "ptx/machine/memory_operand.hpp"

#include "ptx/machine/cluster_window.hpp"

namespace pygpu::host::ptx {

Window window_of(const Decoder &d) {
    if (d.has("shared::cluster")) return Window::cluster;
    if (d.has("shared") || d.has("shared::cta")) return Window::shared;
    return d.has("local") ? Window::local : Window::generic;
}

namespace {

// A generic address for one of the cluster's shared memory.
const Instr *at_host(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    const auto *const a = w.reg<std::uint64_t>(i->a);
    each_active(
        w, [&](unsigned l) { d[l] = host_address(*w.block, static_cast<std::uint32_t>(a[l] + i->imm)); });
    return i + 1;
}

} // namespace

std::vector<const Operand *> registers_of(const Operand &one) {
    if (one.kind != Operand::vector) return {&one};
    std::vector<const Operand *> all;
    all.reserve(one.parts.size());
    for (const Operand &part : one.parts) all.push_back(&part);
    return all;
}

Addressed address_in(Decoder &d, const Operand &from, Window window) {
    if (from.kind != Operand::address) d.unknown();
    d.count_access();
    if (window == Window::cluster) {
        Addressed at = address_in(d, from, Window::shared);
        d.follow_access(); // it was counted twice
        const std::uint32_t to = d.temporary(64);
        Instr &instr = d.emit(at_host);
        instr.d = to;
        instr.a = at.base;
        instr.imm = at.offset;
        return {to, 0, Window::cluster};
    }
    const auto offset = static_cast<std::uint64_t>(from.offset);
    if (from.parts.empty()) return {d.constant(offset, 64), 0, window};
    const Operand &base = from.parts[0];
    if (base.kind == Operand::reg && d.bits_of(base) == 32)
        return {d.extended(d.slot(base.index).at, offset), 0, window};
    return {d.in(base, {Type::natural, 64}), offset, window};
}

} // namespace pygpu::host::ptx
