// For the checker of kernels: which bytes of memory were written, as far as the runtime sees it.
#pragma once

#include "memory/allocation.hpp"
#include "memory/written.hpp"

namespace pygpu::host {

// Null where that isn't known and all bytes count as written: for host and managed memory, for arrays and
// programs' variables, and for everything where kernels aren't checked.
std::shared_ptr<WrittenBytes> written_of(const Memory &memory);

// From now on all bytes count as written: a function was called whose writes aren't seen.
void count_all_as_written();

} // namespace pygpu::host
