// The forms that functions of the driver had before their present ones, which NVIDIA's library still exports:
// cuMemAlloc beside cuMemAlloc_v2.
#pragma once

#include "guard/guard.hpp"

namespace pygpu::host::cu {

// Ended by one without a symbol.
extern const Call old_forms[];

} // namespace pygpu::host::cu
