// Allocating and freeing page-locked memory of the host.
//
// cudaHostAlloc fills and locks page after page: on one H200 it allocates 2 GB/s and frees 6 GB/s. So large
// memory comes in huge pages instead. Several threads fill them, and one call registers them: 18 GB/s, and 50
// GB/s for freeing.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "runtime/generation.hpp"

#include <cstddef>

namespace pygpu::arrays {

int lock_pages(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer);

// Frees memory of lock_pages(). The scope's device must be the one on which it was locked. After a failure
// the memory is still locked.
int unlock_pages(const Runtime &runtime, Scope &scope, void *pointer);

// Call it after a reset has ended the page-lock of that generation. Gives huge pages back, which the reset
// does not free.
void forget_pages(void *pointer, int device, const DeviceGeneration &generation);

} // namespace pygpu::arrays
