// All instructions.
#pragma once

#include "ptx/read/instruction_set.hpp"

namespace pygpu::host::ptx {

const InstructionSet &all_instructions();

} // namespace pygpu::host::ptx
