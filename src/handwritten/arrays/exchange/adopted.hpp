// Memory of other libraries that arrays of the host runtime use.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/memory/loan.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Makes memory known to the host runtime until the loan ends. False with MemoryError set.
bool adopt(const Runtime &runtime, void *pointer, std::size_t size, int device, bool readonly, Loan &loan);

} // namespace pygpu::arrays
