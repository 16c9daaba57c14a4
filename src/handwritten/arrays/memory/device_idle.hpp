// Waiting for a device without breaking a stream capture of anybody's.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// Waits until all that was queued on the scope's device is done, on streams that PyGPU doesn't know, too.
// Takes a byte of the device's: out of memory where nothing was reserved and nothing can be given back. With
// the GIL released.
int wait_for_device(const Runtime &runtime, Scope &scope);

// Puts a byte aside for that, before the device's memory is taken: there may be none left when memory has to
// be waited for. GIL released.
void reserve_waiting(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
