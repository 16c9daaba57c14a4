// Casts within one device's memory: by kernels, by the CPU on the host runtime, else through the host.
#include "arrays/transfer/host_cast.hpp"
#include "arrays/transfer/moves.hpp"
#include "arrays/transfer/rectangles.hpp"

namespace pygpu::arrays {
namespace {

// The axes of a copy between strided memory of the device and packed memory of the host; elements that the
// device repeats are copied once. `host` gets their strides there.
Axes with_packed(const Axes &axes, ssize_t Axis::*device, ssize_t size, Axes &host) {
    Axes copied;
    copied.add({size, 1, 1});
    for (int at = axes.count - 1; at >= 0; --at) {
        const ssize_t stride = axes.axis[at].*device;
        host.axis[at].*device = stride ? size : 0;
        if (!stride) continue;
        copied.add({axes.axis[at].extent, stride, size});
        size *= axes.axis[at].extent;
    }
    return copied;
}

// Where no kernel can be used, as in memory of the host or of another context.
int cast_through_host(Job &job, char *to, const char *from, const Axes &axes, const Cast &cast) {
    if (job.capturing) return job.runtime.codes.capture_unsupported;
    HostCast work{nullptr, nullptr, axes, cast};
    const Axes down = with_packed(axes, &Axis::from, cast.read(), work.axes);
    const Axes up = with_packed(axes, &Axis::to, cast.written(), work.axes);
    char *const read = job.stage(down.size()), *const written = read ? job.stage(up.size()) : nullptr;
    if (!written) return job.runtime.codes.out_of_memory;
    job.waits = true;
    int status = copy_with_host(job, false, const_cast<char *>(from), read, down);
    if (status) return status;
    work.to = written;
    work.from = read;
    work.run();
    return copy_with_host(job, true, to, written, up);
}

} // namespace

int convert(Job &job, char *to, const char *from, Axes axes, const Cast &cast) {
    if (cast.copies()) {
        axes.add({cast.read(), 1, 1});
        return on_devices(job, to, from, axes);
    }
    const Shift start = normalise(axes);
    to += start.to;
    from += start.from;
    if (const auto status = cast_by_kernel(job, to, from, axes, cast)) return *status;
    return cast_through_host(job, to, from, axes, cast);
}

} // namespace pygpu::arrays
