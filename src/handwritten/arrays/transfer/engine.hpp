// Strided copies and fills composed of the device's own 1-D, 2-D and 3-D copies and sets. No kernels.
//
// All functions queue work on one stream of the scope's device, with the GIL released, and return a status.
// Host memory must stay as it is until the stream has come so far; what they stage in between is kept by
// `StagingBuffer`, which the caller releases after that.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "arrays/memory/upload_ring.hpp"

#include <cstddef>

namespace pygpu::arrays {

// One copy as the engine sees it: where it runs, and the strided sides.
struct Job {
    const Runtime &runtime;
    Scope &scope;
    Stream stream;
    ssize_t itemsize;
    StagingBuffer &staging;
    bool capturing = false; // the stream is: nothing may wait for it
    bool waits = false;     // the caller does, before it returns
    Fence fence = 0;        // of what was staged, for the buffer
};

// Device memory from strided host memory.
int to_device(Job &job, char *to, const char *from, Axes axes);

// The rest of a copy to the host, for the CPU: from a staging buffer to where the elements belong. To be run
// once the stream was waited for.
struct Unpacking {
    bool needed = false;
    char *to = nullptr;
    const char *from = nullptr;
    Axes axes;
    ssize_t itemsize = 0;

    void run() const;
};
// Strided host memory from device memory; `rest` says what is left for the CPU.
int from_device(Job &job, char *to, const char *from, Axes axes, Unpacking &rest);

// Between memories of devices, on a stream of the destination's: that is 2 us quicker on two H200 than the
// runtime's call for two devices. Source axes may have stride 0. The sides must not overlap.
int on_devices(Job &job, char *to, const char *from, Axes axes);

// Whether that may be done between two devices: rows that are very narrow are better packed on their own.
bool goes_between_devices(char *to, const char *from, Axes axes, ssize_t itemsize);

// Sets every element to the pattern of `itemsize` bytes.
int fill(Job &job, char *to, Axes axes, const char *pattern);

} // namespace pygpu::arrays
