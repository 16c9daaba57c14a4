// The sizes of slots in a frame.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pygpu::host::ptx {

// In the number of a slot: it lies among the constants, and the number counts from their first byte.
constexpr std::uint32_t is_constant = 1u << 31;
constexpr std::size_t most_frame = 1 << 24; // bytes of registers, and of constants

// The bits that a lane's value takes in a frame.
constexpr unsigned stored(unsigned bits) { return bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128; }

} // namespace pygpu::host::ptx
