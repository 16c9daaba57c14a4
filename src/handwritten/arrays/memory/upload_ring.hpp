// Small uploads that the host doesn't wait for: their bytes go through page-locked memory of PyGPU's own.
//
// A plain copy of ordinary memory waits for the default stream first. The asynchronous one "might be
// synchronous" (NVIDIA, "API synchronization behavior"): whether the source may change when it returns
// depends on the machine, and on where the source lies. Here the bytes are taken before upload_async()
// returns, whatever they lie in, and reach the device in the order of its default stream. What must come
// after them on another stream, or in code that PyGPU can't see, waits by their fence.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu::arrays {

inline constexpr std::size_t most_uploaded = std::size_t{64} << 10;

// Counts the uploads of a device; 0 is none. A later one arrives later.
using Fence = std::uint64_t;

// Queues a copy of at most `most_uploaded` bytes on the default stream of the scope's device. GIL released.
// `fence` stays 0 where the ring is full (or each thread has a default stream of its own): nothing was done
// then, and the caller copies in another way.
int upload_async(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
                 Fence &fence);

// The device's last upload, 0 where all are known to have arrived.
Fence last_upload(int device);

// Whether an upload is known to have arrived. Makes no API call.
bool has_arrived(int device, Fence fence);

// Records that the default stream was synchronised after this fence.
void note_arrival(int device, Fence fence);

// Waits until an upload has arrived; never breaks a capture. GIL released.
int wait_for_arrival(const Runtime &runtime, int device, Fence fence);

// Work queued on a stream of the scope's device from now on comes after an upload to any device. With the
// GIL, which may be released.
int order_after_arrival(const Runtime &runtime, Scope &scope, Stream later, int device, Fence fence);

// Gives the page-locked memory of the scope's device back, once all has arrived.
int free_upload_ring(const Runtime &runtime, Scope &scope);

} // namespace pygpu::arrays
