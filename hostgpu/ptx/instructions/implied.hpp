// Instructions that no statement names: InstructionSet says what each does.
#pragma once

#include "ptx/read/code.hpp"

namespace pygpu::host::ptx::implied {

const Instr *guarded(const Instr *i, Warp &w);
const Instr *skip(const Instr *i, Warp &w);
const Instr *join(const Instr *i, Warp &w);
const Instr *refuse(const Instr *i, Warp &w);
const Instr *invert(const Instr *i, Warp &w);
const Instr *holds(const Instr *i, Warp &w);
const Instr *local_address(const Instr *i, Warp &w);
const Instr *parameter_address(const Instr *i, Warp &w);
Handler convert(unsigned from, unsigned to, bool is_signed);

} // namespace pygpu::host::ptx::implied
