// Decoding [register + offset].
#include "ptx/machine/memory_operand.hpp"

namespace pygpu::host::ptx {

Window window_of(const Decoder &d) {
    if (d.has("shared::cluster")) d.unknown("clusters of several blocks aren't supported");
    if (d.has("shared") || d.has("shared::cta")) return Window::shared;
    return d.has("local") ? Window::local : Window::generic;
}

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
    const auto offset = static_cast<std::uint64_t>(from.offset);
    if (from.parts.empty()) return {d.constant(offset, 64), 0, window};
    const Operand &base = from.parts[0];
    if (base.kind == Operand::reg && d.bits_of(base) == 32)
        return {d.extended(d.slot(base.index).at, offset), 0, window};
    return {d.in(base, {Type::natural, 64}), offset, window};
}

} // namespace pygpu::host::ptx
