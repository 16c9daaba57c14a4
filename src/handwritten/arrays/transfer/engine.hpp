// Copies between the host and a device, and strided copies and fills. They are composed of the runtime's 1-D,
// 2-D and 3-D copies and sets, without kernels. copy_path.hpp chooses the path of each copy.
//
// All functions queue work on one stream of the scope's device, with the GIL released, and return a status.
// The memory of the host must not change until the stream has done the work. Staging memory is kept by
// `StagingBuffer`, which the caller releases after that.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/transfer/cast.hpp"
#include "arrays/transfer/progress_watch.hpp"

#include <cstddef>
#include <optional>

namespace pygpu::arrays {

// One copy or fill: where it runs, and what may be assumed.
struct Job {
    const Runtime &runtime;
    Scope &scope;
    Stream stream;
    StagingBuffer &staging;
    bool capturing = false; // the stream is being captured: nothing may wait for it
    bool waits = false;     // a copy with the host is done when the function returns
    Buffer::Uploads may_queue = Buffer::Uploads::none; // may still be under way when the call returns
    bool pagelocked = false;                           // the host's memory is known to be page-locked
    ProgressWatch *watch = nullptr;                    // of a copy that waits; may be null
    bool kernels = false; // a kernel may move the elements: all memory of devices is this device's
    bool unsure = false;  // but of some memory only its owner says so

    // The results
    Fence fence = 0;   // of a copy through the upload ring, for the buffer to note
    bool done = false; // the caller need not wait for the stream

    char *shared =
        nullptr; // one staging buffer for all parts of a queued copy, which use it one after the other
    ssize_t shared_size = 0;

    int copy(void *to, const void *from, ssize_t size, Direction direction) {
        return scope(runtime.copy_async(to, from, static_cast<std::size_t>(size), direction, stream));
    }
    // Copies between one run of the device's memory and one run of the host's.
    int cross(bool up, char *device, char *host, ssize_t size) {
        return up ? copy(device, host, size, bus(up)) : copy(host, device, size, bus(up));
    }
    static Direction bus(bool up) { return up ? Direction::host_to_device : Direction::device_to_host; }
    char *stage(ssize_t size) { return staging.take(runtime, scope, static_cast<std::size_t>(size)); }
    // After a failure it waits again, since the first call may only return the failure of earlier work.
    // Memory must be free for reuse after a failure, too.
    int synchronize() {
        const Fence before = stream ? 0 : last_upload(scope.device());
        const int waited = scope(runtime.stream_synchronize(stream));
        if (waited) scope(runtime.stream_synchronize(stream));
        if (!waited && before) note_arrival(scope.device(), before);
        return waited;
    }
    bool goes_on() { return !watch || watch->go_on(scope); }
};

// Copies between strided memory of a device, at the strides `to` of the axes, and strided memory of the host,
// at the strides `from`. After a failure nothing is under way.
int copy_with_host(Job &job, bool up, char *device, char *host, const Axes &axes);

// Copies between one run of device memory and the host's side, which has the strides `from` of the axes and
// their order. It goes through a ring of page-locked pieces, in the order of the stream, and is done when it
// returns. If the watch stops it, it ends early with success.
int copy_by_pieces(Job &job, bool up, char *device, char *host, const Axes &axes);

// Copies one run of bytes as cudaMemcpy does: in the order of the default stream, and done when it returns.
int copy_and_wait(Scope &scope, bool up, void *device, void *host, std::size_t size, ProgressWatch *watch);

// Copies between memory of devices, on a stream of the destination's device. On two H200 that is 2 us quicker
// than the runtime's call for two devices. Source axes may have stride 0. The two sides must not overlap.
int on_devices(Job &job, char *to, const char *from, Axes axes);

// Whether on_devices() may copy these axes between two devices. Very narrow rows should be packed on their
// own device first.
bool goes_between_devices(const Runtime &runtime, int to, int from, Axes axes);

// Copies from the scope's device to `memory` of another one by a kernel, which writes over the link. None if
// that isn't the way: for very narrow rows, and where it isn't certain that the device has access. Call
// open_link() before.
std::optional<int> copy_to_peer(Job &job, const Buffer &memory, char *to, const char *from, Axes axes);

// Lets the devices of two pieces of memory access each other's memory, if they are peers. Without that, a
// copy between them takes a slow way. This is tried once for each pair. Access that other code has enabled
// stays as it is. If it fails, copies take the slow way. The scope's device is the same afterwards; the
// status is about that device only.
int open_link(Scope &scope, const Buffer &one, const Buffer &other);

// Converts elements within one device's memory. The axes are those of the elements. The two sides must not
// overlap.
int convert(Job &job, char *to, const char *from, Axes axes, const Cast &cast);

// Sets every element to the pattern of `itemsize` bytes.
int fill(Job &job, char *to, Axes axes, const char *pattern, ssize_t itemsize);

} // namespace pygpu::arrays
