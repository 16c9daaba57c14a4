// Whose the module's variables in shared memory are, and whether a block has room for all.
#pragma once

#include "ptx/read/program.hpp"

namespace pygpu::host::ptx {

// A variable of the module that one kernel alone uses becomes that kernel's, so that kernels share the room.
// nvcc does the same, but not with -rdc=true: there each instance of a template leaves its variables in the
// module.
void give_to_kernels(Program &program);

// Throws Problem where the variables of the module, of all device functions and of one kernel are too large.
void check_shared(const Program &program);

} // namespace pygpu::host::ptx
