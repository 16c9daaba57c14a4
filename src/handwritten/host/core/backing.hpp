// Raw memory behind allocations: aligned, filled with patterns, and quarantined after it is freed.
#pragma once

#include <cstddef>

namespace pygpu::host {

inline constexpr std::size_t memory_alignment = 512; // what cudaMalloc gives
inline constexpr unsigned char fresh_pattern = 0xCB; // as float -4e7 or so, as int negative: nobody's zero
inline constexpr unsigned char freed_pattern = 0xDD;

// Whether a block shares pages with others. Whole pages can be advised, and other processes can map them.
enum class Pages { shared, own };

// The bytes that a block of that size takes. Pages of its own begin where a page does.
std::size_t capacity_for(std::size_t size, Pages pages);

// Fresh memory, or null, once all that is cached went back to the system in vain. Up to 8 KiB all bytes have
// the pattern; of more only 4 KiB at both ends, so that filling takes no longer for a larger size; in strict
// mode, and where kernels are checked, all of any size.
void *take_memory(std::size_t capacity, std::size_t size);

// Gives memory back, filled likewise. It is quarantined first, then cached for blocks of its capacity; of
// more than 64 MiB without its pages.
void give_memory(void *base, std::size_t capacity, std::size_t size) noexcept;

} // namespace pygpu::host
