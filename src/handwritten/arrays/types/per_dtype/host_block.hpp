// Ordinary memory of the host, filled with zeros, as a Python object that frees it.
#pragma once

#include "python/reference.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Returns the owner, and sets `pointer` to the address, which is aligned for every dtype. Empty with
// MemoryError set.
Reference make_host_block(std::size_t size, void *&pointer);

} // namespace pygpu::arrays
