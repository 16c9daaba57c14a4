// Making arrays: what all functions share that make them.
#pragma once

#include "image/array.hpp"

namespace pygpu::host {

// Checks that channels, extent and flags fit together, and plans the array, still without memory.
Status plan_array(const Channels &channels, const Extent &extent, unsigned flags, Array &planned);
// Memory for arrays on the current device.
Status allocate_array(std::size_t bytes, unsigned flags, Memory &memory);

} // namespace pygpu::host
