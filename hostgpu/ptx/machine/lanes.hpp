// Loops over the lanes that an instruction is for.
#pragma once

#include "ptx/machine/machine.hpp"

#if defined(__clang__) // it warns of marked loops that it doesn't vectorise
#define PYGPU_LANES
#else
#define PYGPU_LANES _Pragma("GCC ivdep")
#endif

namespace pygpu::host::ptx {

// For instructions with no effect but their result. Where the mask covers all lanes of the frame, it doesn't
// matter what the others get: the loop runs over all 32 lanes, so that compilers vectorise it.
template <class Body> [[gnu::always_inline]] inline void each(const Warp &w, Body body) {
    if (w.whole) {
        PYGPU_LANES
        for (unsigned lane = 0; lane < warp_size; ++lane) body(lane);
    } else {
        for (std::uint32_t rest = w.exec; rest; rest &= rest - 1)
            body(static_cast<unsigned>(std::countr_zero(rest)));
    }
}

// For instructions with other effects: only the lanes of the mask.
template <class Body> [[gnu::always_inline]] inline void each_active(const Warp &w, Body body) {
    if (w.exec == ~0u) {
        for (unsigned lane = 0; lane < warp_size; ++lane) body(lane);
    } else {
        for (std::uint32_t rest = w.exec; rest; rest &= rest - 1)
            body(static_cast<unsigned>(std::countr_zero(rest)));
    }
}

// A predicate gets these bits for the lanes of the mask.
inline void set_pred(Warp &w, std::uint32_t place, std::uint32_t bits) {
    std::uint32_t &to = w.pred(place);
    to = (to & ~w.exec) | (bits & w.exec);
}

// 32 bytes that are 0 or 1, as a mask.
inline std::uint32_t mask_of(const std::uint8_t *bytes) {
    std::uint32_t mask = 0;
    for (unsigned part = 0; part < 4; ++part) {
        std::uint64_t eight = 0;
        __builtin_memcpy(&eight, bytes + std::size_t{8} * part, 8);
        mask |= static_cast<std::uint32_t>(eight * 0x0102040810204080ull >> 56) << 8 * part;
    }
    return mask;
}

} // namespace pygpu::host::ptx
