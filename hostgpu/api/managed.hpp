// Advice on managed memory and prefetches: recorded, and returned by queries. Nothing moves, for all memory
// is the host's.
#pragma once

#include "base/types.hpp"
#include "memory/allocation.hpp"

namespace pygpu::host {

// The managed memory that all of these bytes lie in, null where there is none.
Memory managed_at(const void *pointer, std::size_t count);

// What both APIs number alike.
enum AdviceKind {
    set_read_mostly = 1,
    unset_read_mostly,
    set_preferred,
    unset_preferred,
    set_accessed_by,
    unset_accessed_by,
    set_coarse_grain = 100, // HIP's
    unset_coarse_grain,
};

// The number of the host among the devices, in both APIs, and the one for no place.
inline constexpr int host_number = -1, nowhere = -2;

bool is_place(const Location &location);

// invalid_value for advice that neither API has.
Status note_advice(const Memory &memory, const void *pointer, std::size_t count, int advice,
                   const Location &location);
void note_prefetch(const Memory &memory, const void *pointer, std::size_t count, const Location &location);

} // namespace pygpu::host
