// Memory that nobody holds any more but that can't be freed yet; free_in_order.hpp lists the reasons.
//
// It waits here until PyGPU waits for the device: when much has gathered, when memory runs out, or when
// trim_memory() asks for it.
#pragma once

#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"

#include <cstddef>

namespace pygpu::arrays {

void defer_free(Buffer::Kind kind, void *pointer, std::size_t size, int device);

std::size_t deferred_bytes(int device);

// Whether so much has gathered that the next allocation should free it.
bool much_is_deferred(int device);

// Waits for the scope's device and frees what is deferred there. Where that fails everything stays.
int free_deferred(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
