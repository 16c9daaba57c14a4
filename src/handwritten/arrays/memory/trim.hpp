// Freeing memory that nothing uses, after a wait for the device.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>

namespace pygpu::arrays {

// Waits for the scope's device and frees what is deferred there. If the wait fails, all of it stays deferred.
int free_deferred(const Runtime &runtime, Scope &scope);

// Waits for the device, frees deferred memory and cached page-locked memory, and gives the pool's unused
// memory back to the driver, except `keep` bytes.
int trim(const Runtime &runtime, Scope &scope, std::size_t keep);

// trim() without keeping anything, for an allocation that ran out of memory. Whether it is worth trying
// again.
bool give_all_back(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
