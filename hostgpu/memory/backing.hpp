// Raw memory behind allocations: aligned, filled with patterns, and quarantined after it is freed.
#pragma once

#include <cstddef>

namespace pygpu::host {

inline constexpr std::size_t memory_alignment = 512; // what cudaMalloc gives
inline constexpr unsigned char fresh_pattern = 0xCB; // as a float about -4e7, as an int negative: never 0
inline constexpr unsigned char freed_pattern = 0xDD;

// Whether a block may share pages with other blocks. Advice, and mappings in other processes, need whole
// pages.
enum class Pages { shared, own };

// The bytes that a block of that size takes. A block with pages of its own starts at the start of a page.
std::size_t capacity_for(std::size_t size, Pages pages);

// Fresh memory. Null if the system has none, even after all cached blocks went back to it. The memory is
// filled with fresh_pattern: up to 8 KiB wholly, larger pieces only in the first and the last 4 KiB, so that
// the time doesn't grow with the size. In strict mode, and where kernels are checked, all bytes are filled.
void *take_memory(std::size_t capacity, std::size_t size);
// The same pattern in memory from elsewhere.
void fill_fresh(void *base, std::size_t size);

// Gives memory back, filled with freed_pattern in the same way. The block is quarantined first, then cached
// for requests of the same capacity. A block of more than 64 MiB gives its pages back to the system at once.
void give_memory(void *base, std::size_t capacity, std::size_t size) noexcept;

} // namespace pygpu::host
