// The memory operands of statements: where their addresses lie in a frame.
#pragma once

#include "ptx/machine/access.hpp"
#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {

struct Addressed {
    std::uint32_t base;
    std::uint64_t offset;
    Window window;
};

// The operand [..] of an instruction with a space among its modifiers. One of a cluster's shared memory
// becomes a generic address.
Addressed address_in(Decoder &d, const Operand &from, Window window);
Window window_of(const Decoder &d);
// The registers of an operand: those of a vector, or a single one.
std::vector<const Operand *> registers_of(const Operand &one);
inline std::uint32_t new_hint(const Decoder &d, bool writes) {
    constexpr std::uint32_t half = Worker::hint_count / 2;
    return static_cast<std::uint32_t>(d.here() * 7 + d.function.line) % half + (writes ? half : 0);
}

} // namespace pygpu::host::ptx
