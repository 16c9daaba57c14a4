// Raw memory behind allocations: aligned, filled with patterns, and kept from reuse for a while after it is
// freed.
#pragma once

#include <cstddef>

namespace pygpu::host {

inline constexpr std::size_t memory_alignment = 512; // what cudaMalloc gives
inline constexpr unsigned char fresh_pattern = 0xCB; // as float -4e7 or so, as int negative: nobody's zero
inline constexpr unsigned char freed_pattern = 0xDD;

// Fresh memory, or null. Up to 1 MiB all bytes have the pattern; of more only both ends, unless in strict
// mode.
void *take_memory(std::size_t size);

// Gives memory back: small pieces rest in quarantine, filled, so that their addresses stay unknown for a
// while; large ones are unmapped at once.
void give_memory(void *base, std::size_t size);

} // namespace pygpu::host
