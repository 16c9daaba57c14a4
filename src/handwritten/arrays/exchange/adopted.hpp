// Memory of the CPU's that arrays of the host runtime stand on.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/memory/loan.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Makes the memory known to the host runtime until the loan ends. False with MemoryError set.
bool adopt(const Runtime &runtime, void *pointer, std::size_t size, int device, bool readonly, Loan &loan);

} // namespace pygpu::arrays
