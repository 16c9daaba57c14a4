// Copies and fills within the devices' memory.
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/moves.hpp"
#include "arrays/transfer/rectangles.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::arrays {
namespace {

constexpr ssize_t first_bytes = ssize_t{64} << 10; // the first piece of a pattern, which comes from the host

// Repeats the elements that `written` describes along one more axis, of which the first `done` steps are
// there. Copies within the device's memory, twice as much each time.
int repeat(Job &job, char *to, const Axes &written, const Axis &axis, ssize_t done = 1) {
    int status = success;
    for (; done < axis.extent && !status; done *= 2) {
        Axes more = written;
        for (int at = 0; at < more.count; ++at) more.axis[at].from = more.axis[at].to;
        more.add({std::min(done, axis.extent - done), axis.to, axis.to});
        status = on_devices(job, to + done * axis.to, to, more);
    }
    return status;
}

// Sets a run of elements. The first piece comes from the host, the rest is copied within the device's memory.
int fill_run(Job &job, char *to, ssize_t size, const char *pattern, ssize_t itemsize) {
    const ssize_t first = std::min(size, std::max<ssize_t>(first_bytes / itemsize, 1) * itemsize);
    char *piece = job.stage(first);
    if (!piece) return job.runtime.codes.out_of_memory;
    const auto bytes = static_cast<std::size_t>(first), item = static_cast<std::size_t>(itemsize);
    std::memcpy(piece, pattern, item);
    for (std::size_t done = item; done < bytes; done *= 2)
        std::memcpy(piece + done, piece, std::min(done, bytes - done));
    int status = job.stream ? success : upload_async(job.runtime, job.scope, to, piece, bytes, job.fence);
    if (job.fence)
        job.staging.drop_last();
    else if (!status)
        status = job.copy(to, piece, first, Direction::host_to_device);
    return status ? status : repeat(job, to, {}, {size, 1, 1}, first);
}

} // namespace

int on_devices(Job &job, char *to, const char *from, Axes axes) {
    if (!axes.size()) return success;
    const Shift start = normalise(axes);
    to += start.to;
    from += start.from;
    const Rectangles calls(axes);
    if (goes_by_kernel({axes.size(), calls.width(), calls.count(), job.runtime.api.host}))
        if (const auto status = copy_by_kernel(job, to, from, axes)) return *status;
    for (int at = 0; at < axes.count; ++at) {
        const Axis axis = axes.axis[at];
        if (axis.from) continue;
        // The source repeats along this axis: write it once, then double what is written.
        axes.remove(at);
        const int status = on_devices(job, to, from, axes);
        return status ? status : repeat(job, to, axes, axis);
    }
    if (calls.count() <= rows::most_calls) return calls.run(job, to, from, Direction::device_to_device);
    if (job.capturing) return job.runtime.codes.capture_unsupported;
    // Through the host: the runtime has no fast call for such a transposition, but the CPU does it fast in
    // its caches.
    char *buffer = job.stage(axes.size());
    if (!buffer) return job.runtime.codes.out_of_memory;
    const Axes back = packed(axes);
    swap_sides(axes);
    job.waits = true;
    const int status = copy_with_host(job, false, const_cast<char *>(from), buffer, packed(axes));
    return status ? status : copy_with_host(job, true, to, buffer, back);
}

int fill(Job &job, char *to, Axes axes, const char *pattern, ssize_t itemsize) {
    if (!axes.size()) return success;
    for (int at = 0; at < axes.count; ++at) axes.axis[at].from = axes.axis[at].to; // there is no source
    to += normalise(axes).to;
    const bool uniform =
        std::all_of(pattern, pattern + itemsize, [&](char byte) { return byte == *pattern; });
    const auto size = [](ssize_t value) { return static_cast<std::size_t>(value); };
    const int byte = static_cast<unsigned char>(*pattern);
    const bool one_run = axes.count == 1 && axes.axis[0].to == 1;
    if (has_kernels(job.runtime.api.host) && !(uniform && one_run))
        if (const auto status = fill_by_kernel(job, to, axes, pattern, itemsize)) return *status;
    const ssize_t width = take_run(axes);
    if (uniform && axes.count == 1 && axes.axis[0].to >= width && axes.axis[0].to <= most_pitch) {
        return job.scope(job.runtime.set_2d_async(to, size(axes.axis[0].to), byte, size(width),
                                                  size(axes.axis[0].extent), job.stream));
    }
    int status = uniform ? job.scope(job.runtime.set_async(to, byte, size(width), job.stream))
                         : fill_run(job, to, width, pattern, itemsize);
    Axes written;
    if (width > 1) written.add({width, 1, 1});
    for (; axes.count && !status; axes.remove(axes.count - 1)) {
        status = repeat(job, to, written, axes.axis[axes.count - 1]);
        written.add(axes.axis[axes.count - 1]);
    }
    return status;
}

} // namespace pygpu::arrays
