// Small uploads that the host doesn't wait for. Their bytes go through PyGPU's own page-locked memory.
//
// A synchronous copy from ordinary memory waits for the default stream first. An asynchronous copy "might be
// synchronous" (NVIDIA, "API synchronization behavior"): it depends on the machine and on the memory whether
// the source may change when the call returns. upload_async() always takes the bytes before it returns. They
// reach the device in the order of its default stream. Work that must come after them on another stream, or
// in code that PyGPU can't see, waits for their fence.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

inline constexpr std::size_t most_uploaded = std::size_t{256} << 10;

// The number of an upload of a device, which grows; 0 is none. A later upload arrives later.
using Fence = std::uint64_t;

// Queues a copy of at most `most_uploaded` bytes on the default stream of the scope's device. GIL released.
// `fence` stays 0 if the ring is full, or if each thread has its own default stream. Then nothing was done,
// and the caller copies in another way.
int upload_async(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
                 Fence &fence);

// The device's last upload; 0 if all are known to have arrived.
Fence last_upload(int device);

// Whether an upload is known to have arrived. Makes no API call.
bool has_arrived(int device, Fence fence);

// Records that the default stream was synchronised after this fence.
void note_arrival(int device, Fence fence);

// Waits until an upload has arrived; never breaks a capture. GIL released.
int wait_for_arrival(const Runtime &runtime, int device, Fence fence);

// Makes new work on a stream of the scope's device come after an upload to `device`. With the GIL, which may
// be released.
int order_after_arrival(const Runtime &runtime, Scope &scope, Stream later, int device, Fence fence);

// Waits until all uploads of the scope's device have arrived, and frees the ring's page-locked memory.
int free_upload_ring(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
