// Functions of the driver, which PyGPU calls past the runtime.
#pragma once

#include "arrays/base/runtime.hpp"

namespace pygpu::arrays {

// Null for no name, or where the driver lacks the function.
void *driver_symbol(const Runtime &runtime, const char *name);

template <class Function> Function *driver_function(const Runtime &runtime, const char *name) {
    return reinterpret_cast<Function *>(driver_symbol(runtime, name));
}

} // namespace pygpu::arrays
