// What the matrix instructions of a whole warp share.
#pragma once

#include "ptx/machine/memory_operand.hpp"

namespace pygpu::host::ptx {

// PTX ISA, "Warp Level Matrix Instructions": all threads of the warp run the same one, and none has exited.
// False: the group waits for the other lanes, or the launch has failed. The instruction's imm may not be 0.
bool whole_warp(const Instr *i, Warp &w);

// Packs an address's offset with a bit that keeps imm from being 0: the lanes wait at this very instruction,
// unlike those of bar.warp.sync.
constexpr std::uint64_t together_with(std::uint64_t offset) { return offset << 1 | 1; }
inline std::uint64_t offset_of(const Instr *i) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(i->imm) >> 1);
}

} // namespace pygpu::host::ptx
