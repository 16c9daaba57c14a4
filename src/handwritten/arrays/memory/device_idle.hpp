// Waiting for a device without breaking a stream capture of anybody's.
#pragma once

#include "arrays/runtime/runtime.hpp"
#include "arrays/runtime/scope.hpp"

namespace pygpu::arrays {

// Waits until all that was queued on the scope's device is done, on streams that PyGPU doesn't know, too.
// With the GIL given away.
int wait_for_device(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
