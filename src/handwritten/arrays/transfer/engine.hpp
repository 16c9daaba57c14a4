// Copies between the host and a device, and strided copies and fills composed of the device's own 1-D, 2-D
// and 3-D copies and sets. No kernels. way.hpp says which way each takes.
//
// All functions queue work on one stream of the scope's device, with the GIL released, and return a status.
// Host memory must stay as it is until the stream has come so far; what they stage in between is kept by
// `StagingBuffer`, which the caller releases after that.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "arrays/memory/upload_ring.hpp"
#include "arrays/transfer/watch.hpp"

#include <cstddef>

namespace pygpu::arrays {

// One copy as the engine sees it: where it runs, and what may be assumed.
struct Job {
    const Runtime &runtime;
    Scope &scope;
    Stream stream;
    StagingBuffer &staging;
    bool capturing = false;  // the stream is: nothing may wait for it
    bool waits = false;      // a copy with the host is done when it returns
    bool unseen = false;     // an upload may still be under way when the call returns
    bool pagelocked = false; // the host's memory is known to be
    Watch *watch = nullptr;  // of a copy that waits, perhaps

    // What came of it
    Fence fence = 0;   // of what was staged, for the buffer
    bool done = false; // the stream need not be waited for

    char *shared = nullptr; // one staging buffer for the parts of a queued copy, which come in order
    ssize_t shared_size = 0;

    int copy(void *to, const void *from, ssize_t size, Direction direction) {
        return scope(runtime.copy_async(to, from, static_cast<std::size_t>(size), direction, stream));
    }
    // Between one run of the device's memory and one of the host's.
    int cross(bool up, char *device, char *host, ssize_t size) {
        return up ? copy(device, host, size, bus(up)) : copy(host, device, size, bus(up));
    }
    static Direction bus(bool up) { return up ? Direction::host_to_device : Direction::device_to_host; }
    char *stage(ssize_t size) { return staging.take(runtime, scope, static_cast<std::size_t>(size)); }
    // Memory is used again after a failure, too: the first call may say what failed before.
    int synchronize() {
        const Fence before = stream ? 0 : last_upload(scope.device());
        const int waited = scope(runtime.stream_synchronize(stream));
        if (waited) scope(runtime.stream_synchronize(stream));
        if (!waited && before) note_arrival(scope.device(), before);
        return waited;
    }
    bool goes_on() { return !watch || watch->go_on(scope); }
};

// Between strided memories of a device, at the strides `to` of the axes, and of the host. After a failure
// nothing is under way.
int copy_with_host(Job &job, bool up, char *device, char *host, const Axes &axes);

// Brings the host's side, at the strides `from` of the axes and in their order, to or from one run of device
// memory, through a ring of page-locked pieces: in the order of the stream, done when it returns. A watch
// that says stop ends it with success.
int copy_by_pieces(Job &job, bool up, char *device, char *host, const Axes &axes);

// One run of bytes as cudaMemcpy copies it: in the order of the default stream, done when it returns.
int copy_and_wait(Scope &scope, bool up, void *device, void *host, std::size_t size, Watch *watch);

// Between memories of devices, on a stream of the destination's: that is 2 us quicker on two H200 than the
// runtime's call for two devices. Source axes may have stride 0. The sides must not overlap.
int on_devices(Job &job, char *to, const char *from, Axes axes);

// Whether that may be done between two devices: rows that are very narrow are better packed on their own.
bool goes_between_devices(const Runtime &runtime, int to, int from, Axes axes);

// Lets the devices of two pieces of memory reach the other one, once, where they are peers: without that a
// copy between them takes the slow way around. What others of the process enabled stays as it is. Failure
// leaves the slow way; the status is that of the scope's device, which is as before.
int open_link(Scope &scope, const Buffer &one, const Buffer &other);

// Sets every element to the pattern of `itemsize` bytes.
int fill(Job &job, char *to, Axes axes, const char *pattern, ssize_t itemsize);

} // namespace pygpu::arrays
