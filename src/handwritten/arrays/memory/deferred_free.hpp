// Memory that nobody uses any more, but that can't be freed yet; free_in_order.hpp lists the reasons.
//
// It is freed when PyGPU waits for the device: when there is much of it, when memory runs out, or in
// trim_memory().
#pragma once

#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"

#include <cstddef>

namespace pygpu::arrays {

void defer_free(Buffer::Kind kind, void *pointer, std::size_t size, int device);

std::size_t deferred_bytes(int device);

// Whether there is so much that the next allocation should free it.
bool much_is_deferred(int device);

// Waits for the scope's device and frees what is deferred there. If the wait fails, all of it stays deferred.
int free_deferred(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
