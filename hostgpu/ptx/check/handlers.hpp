// Instructions of the checker, which the decoder puts before and after those of a kernel.
#pragma once

#include "ptx/check/checked_access.hpp"
#include "ptx/check/checker.hpp"
#include "ptx/machine/memory_operand.hpp"

namespace pygpu::host::ptx::check {

// For a statement with memory operands: what it does with `size` bytes at one of them. `value` is the place
// of the stored register, where the statement stores a single one.
void before_access(Decoder &d, const Addressed &at, std::size_t size, std::uint32_t kind,
                   const std::uint32_t *value = nullptr);
// Around what waits for the lanes of the mask in a register.
void enter_lanes(Decoder &d, std::uint32_t mask);
void leave_lanes(Decoder &d, std::uint32_t mask);
// Of asynchronous copies: groups of the lanes that run.
void end_group(Decoder &d);
void wait_for_groups(Decoder &d, std::uint64_t but);
// At the start of a function.
void begin_function(Decoder &d);
// For a statement with an access that the checker doesn't follow.
void give_up(Decoder &d);

} // namespace pygpu::host::ptx::check
