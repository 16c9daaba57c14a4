// Page-locking memory of the host, and the end of that.
//
// cudaHostAlloc fills and locks page after page: 2 GB/s on one H200, and freeing runs at 6. Large memory
// comes in huge pages instead, which several threads fill and one call registers: 18 GB/s, and 50.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "runtime/generation.hpp"

#include <cstddef>

namespace pygpu::arrays {

int lock_pages(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);

// In the scope's context, which is the one that it was locked in. After a failure it is locked still.
int unlock_pages(const Runtime &runtime, Scope &scope, void *pointer);

// A reset ended the lock of that generation; what is the host's own memory is given back.
void forget_pages(void *pointer, int device, const DeviceGeneration &generation);

} // namespace pygpu::arrays
