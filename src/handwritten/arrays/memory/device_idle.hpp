// Waiting for a device without breaking anybody's stream capture.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// Waits until all queued work on the scope's device is done, also on streams that PyGPU doesn't know. Needs a
// byte of the device's memory: returns "out of memory" if none was reserved and the pool can give none back.
// With the GIL released.
int wait_for_device(const Runtime &runtime, Scope &scope);

// Reserves a byte for wait_for_device(). Call it before memory is allocated: later there may be none left.
// With the GIL released.
void reserve_waiting(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
