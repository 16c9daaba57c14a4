// Values that a call of a builtin function passes, and its result.
#pragma once

#include "ptx/machine/machine.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::ptx {

inline constexpr std::size_t words_of_value = 3;

// The lane's value for parameter `index` of a call of a builtin.
template <class T> T argument(const Instr *i, Warp &w, std::size_t index, unsigned lane) {
    const std::uint32_t *const one = &i->extra->slots[index * words_of_value];
    const std::size_t step = one[2] ? one[1] / 8 : one[1];
    T value{};
    std::memcpy(&value, w.registers + one[0] + lane * step, std::min(sizeof value, step));
    return value;
}

template <class T> void give(const Instr *i, Warp &w, unsigned lane, T value) {
    const std::uint32_t *const one = i->extra->results.data();
    if (i->extra->results.empty()) return;
    const std::size_t step = one[2] ? one[1] / 8 : one[1];
    std::memcpy(w.registers + one[0] + lane * step, &value, std::min(sizeof value, step));
}

} // namespace pygpu::host::ptx
