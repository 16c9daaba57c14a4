// What an instruction of the checker says of the access after it.
#pragma once

#include "ptx/read/code.hpp"

namespace pygpu::host::ptx::check {

// What the access does; bits of the number that before_access() puts into the instruction.
constexpr std::uint32_t reads = 1, writes = 2, atomic = 4;
constexpr std::uint32_t goes_on = 8; // a write that is done once its thread has waited for it: cp.async

inline std::uint32_t kind_of(const Instr &i) { return i.b & 0xff; }
inline std::size_t size_of(const Instr &i) { return i.b >> 8; }
inline bool has_value(const Instr &i) { return i.c != 0; }

} // namespace pygpu::host::ptx::check
