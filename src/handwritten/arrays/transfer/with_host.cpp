// Copies between the host and a device, by the way that the table names.
#include "arrays/transfer/pieces.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "arrays/transfer/sides.hpp"
#include "arrays/transfer/way.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <memory>

namespace pygpu::arrays {
namespace {

// Makes one run on both sides an axis of bytes; whether it was one.
bool take_as_bytes(Axes &axes, ssize_t &itemsize) {
    if (axes.count > 1) return false;
    if (axes.count && (axes.axis[0].to != itemsize || axes.axis[0].from != itemsize)) return false;
    const ssize_t size = bytes_of(axes, itemsize);
    axes = {};
    axes.add({size, 1, 1});
    itemsize = 1;
    return true;
}

// Memory may be registered in part. Older releases fail for ordinary memory.
bool is_pageable(Job &job, const char *host, const Axes &axes) {
    const char *low = host, *high = host + job.itemsize - 1;
    for (int at = 0; at < axes.count; ++at) {
        const ssize_t last = (axes.axis[at].extent - 1) * axes.axis[at].from;
        (last < 0 ? low : high) += last;
    }
    bool first = false, last = false;
    job.scope.expect([&] { return job.runtime.ask_pageable(low, &first); });
    job.scope.expect([&] { return job.runtime.ask_pageable(high, &last); });
    return first && last;
}

// The way of a copy whose host's side is at the strides `from`; asks the runtime only where that decides.
Way choose(Job &job, bool up, const char *host, const Axes &axes) {
    const auto size = static_cast<std::size_t>(bytes_of(axes, job.itemsize));
    const bool strided = !is_packed(axes, job.itemsize);
    Run run{size,
            up,
            true,
            strided,
            job.waits,
            job.capturing,
            job.unseen && !job.stream && is_compact(axes, job.itemsize),
            pieces_of(size, up, strided, job.runtime.api.host).threads};
    const Way of_pageable = way_of(run);
    run.pageable = false;
    if (job.pagelocked || way_of(run) == of_pageable) return way_of(run);
    run.pageable = is_pageable(job, host, axes);
    return way_of(run);
}

// As cudaMemcpy does; in slices, so that the caller can stop it.
int copy_now(Job &job, char *to, const char *from, ssize_t size, Direction direction) {
    const Fence before = last_upload(job.scope.device());
    int status = success;
    for (std::size_t at = 0, all = static_cast<std::size_t>(size); at < all && !status; at += sizes::slice) {
        if (at && job.watch && !job.watch->go_on(job.scope)) break;
        const std::size_t piece = std::min(sizes::slice, all - at);
        status = job.scope(job.runtime.copy(to + at, from + at, piece, direction));
        if (!status && job.watch) job.watch->add(piece);
    }
    if (!status && before) note_arrival(job.scope.device(), before);
    job.done = true;
    return status;
}

// Through the same staging buffer for all parts of a queued copy: the stream comes to them one by one.
// Without page-locked memory each part has its own, and what goes up is brought there now: the runtime may
// read ordinary memory during its call, before the stream comes to a host function.
char *staging_of(Job &job, Way &way, ssize_t bytes, bool up) {
    const auto size = static_cast<std::size_t>(bytes);
    if (way != Way::host_functions) return job.staging.take(job.runtime, job.scope, size);
    if (size > job.shared_size) {
        job.shared = job.staging.take_pinned(job.runtime, job.scope, size, sizes::most_staged);
        job.shared_size = job.shared ? size : 0;
    }
    if (job.shared) return job.shared;
    if (up) way = Way::bounce;
    return job.staging.take(job.runtime, job.scope, size);
}

// The stream makes the copy when it comes to it; where it can't, the caller does once it has.
int queue(Job &job, const HostCopy &copy) {
    const auto kept = std::make_shared<HostCopy>(copy);
    job.staging.keep(kept);
    const int status = job.scope(job.runtime.launch_host_function(
        job.stream, [](void *queued) { static_cast<HostCopy *>(queued)->run(); }, kept.get()));
    if (status != not_supported && status != no_symbol) return status;
    const int waited = job.scope(job.runtime.stream_synchronize(job.stream));
    if (!waited) copy.run();
    return waited;
}

// Does the copy in parts of bounded size, along the axes of the device's greatest strides.
template <class Part> int in_slabs(Job &job, Way way, char *device, char *host, const Axes &axes, Part part) {
    const bool parts = way == Way::pieces || way == Way::host_functions;
    const ssize_t size = bytes_of(axes, job.itemsize);
    const auto most = static_cast<ssize_t>(way == Way::pieces ? sizes::packed : sizes::most_staged);
    if (!parts || size <= most || !axes.count || (way == Way::pieces && is_compact(axes, job.itemsize)))
        return part(job, way, device, host, axes);
    const Axis outer = axes.axis[0];
    const ssize_t steps = std::max<ssize_t>(most / (size / outer.extent), 1);
    int status = success;
    for (ssize_t at = 0; at < outer.extent && !status; at += steps) {
        if (at && job.watch && !job.watch->go_on(job.scope)) break;
        Axes some = axes;
        some.axis[0].extent = std::min(steps, outer.extent - at);
        if (some.axis[0].extent == 1) some.remove(0);
        status = in_slabs(job, way, device + at * outer.to, host + at * outer.from, some, part);
    }
    return status;
}

int through_pieces(Job &job, char *device, char *host, const Axes &axes, bool up) {
    const Pieces how = pieces_of(static_cast<std::size_t>(bytes_of(axes, job.itemsize)), up,
                                 !is_packed(axes, job.itemsize), job.runtime.api.host);
    return copy_by_pieces(job.runtime, job.scope, job.stream, device, {host, axes, job.itemsize}, up, how,
                          job.watch);
}

// To the device (the side `to` of the axes), by a way that is none of one run's alone.
int up(Job &job, Way way, char *to, char *from, const Axes &axes) {
    const ssize_t size = bytes_of(axes, job.itemsize);
    Axes packing = packed(axes, job.itemsize);
    if (way == Way::pieces) {
        if (is_compact(axes, job.itemsize)) return through_pieces(job, to, from, axes, true);
        const Temporary temporary(job, size);
        if (temporary.status()) return temporary.status();
        const int status = through_pieces(job, temporary.data(), from, axes, true);
        packing.merge();
        // The rest of a stopped copy has not been written.
        if (status || (job.watch && job.watch->stopped())) return status;
        return Rectangles(packing, job.itemsize).run(job, to, temporary.data(), Direction::device_to_device);
    }
    if (way != Way::direct) { // bring it into the device's order first
        char *buffer = staging_of(job, way, size, true);
        if (!buffer) return out_of_memory;
        HostCopy gather{buffer, from, axes, job.itemsize};
        for (int at = 0; at < axes.count; ++at) gather.axes.axis[at].to = packing.axis[at].from;
        if (way != Way::host_functions) {
            gather.run();
        } else if (const int status = queue(job, gather)) {
            return status;
        }
        from = buffer;
    }
    packing.merge();
    const Rectangles calls(packing, job.itemsize);
    if (way_of(Rows{size, calls.width(), calls.count(), size, true, job.waits, way}) == RowsWay::rectangles)
        return calls.run(job, to, from, Direction::host_to_device);
    const Temporary temporary(job, size);
    if (temporary.status()) return temporary.status();
    const int status = job.scope(job.runtime.copy_async(
        temporary.data(), from, static_cast<std::size_t>(size), Direction::host_to_device, job.stream));
    return status ? status : calls.run(job, to, temporary.data(), Direction::device_to_device);
}

// What a copy to the host leaves for the CPU: now queued, done, or left to the caller.
int unpack(Job &job, Way way, const HostCopy &rest) {
    if (!rest.to) return success;
    if (way == Way::host_functions) return queue(job, rest);
    job.rest = rest;
    if (way != Way::pieces) return success;
    const int status = job.scope(job.runtime.stream_synchronize(job.stream)); // before the next part comes
    if (!status) job.rest.run();
    job.rest.to = nullptr;
    job.staging.drop_last();
    return status;
}

// From the device (the side `to` of the axes) to the host, and to all places of it that are `repeated`.
int down(Job &job, Way way, char *device, char *host, const Axes &axes, const Axes &repeated) {
    const ssize_t size = bytes_of(axes, job.itemsize);
    const Axes packing = packed(axes, job.itemsize);
    Axes rows = packing;
    rows.merge();
    swap_sides(rows);
    const Rectangles calls(rows, job.itemsize);
    const ssize_t reach = reach_of(axes, job.itemsize);
    const RowsWay by = way_of(Rows{size, calls.width(), calls.count(), reach, false, job.waits, way});
    HostCopy rest{nullptr, nullptr, axes, job.itemsize};
    if (by != RowsWay::whole_range) {
        if (way == Way::pieces && is_compact(axes, job.itemsize))
            return through_pieces(job, device, host, axes, false);
        if (way == Way::pieces) {
            const Temporary temporary(job, size);
            if (temporary.status()) return temporary.status();
            const int status = calls.run(job, temporary.data(), device, Direction::device_to_device);
            return status ? status : through_pieces(job, temporary.data(), host, axes, false);
        }
        for (int at = 0; at < axes.count; ++at) rest.axes.axis[at].to = packing.axis[at].from;
    }
    swap_sides(rest.axes);
    for (int at = 0; at < repeated.count; ++at)
        rest.axes.add({repeated.axis[at].extent, repeated.axis[at].from, 0});
    char *target = host;
    if (by == RowsWay::whole_range || way != Way::direct) {
        if (job.capturing) return capture_unsupported;
        target = staging_of(job, way, by == RowsWay::whole_range ? reach : size, false);
        if (!target) return out_of_memory;
        rest.to = host;
        rest.from = target;
    }
    int status = success;
    if (by == RowsWay::whole_range) {
        status = job.scope(job.runtime.copy_async(target, device, static_cast<std::size_t>(reach),
                                                  Direction::device_to_host, job.stream));
    } else if (by == RowsWay::rectangles) {
        status = calls.run(job, target, device, Direction::device_to_host);
    } else {
        const Temporary temporary(job, size);
        status = temporary.status();
        if (!status) status = calls.run(job, temporary.data(), device, Direction::device_to_device);
        if (!status)
            status =
                job.scope(job.runtime.copy_async(target, temporary.data(), static_cast<std::size_t>(size),
                                                 Direction::device_to_host, job.stream));
    }
    return status ? status : unpack(job, way, rest);
}

} // namespace

int to_device(Job &job, char *to, const char *from, Axes axes) {
    if (!axes.elements() || !job.itemsize) return success;
    normalise(to, from, axes);
    drop_repeated(from, axes);
    const bool one_run = take_as_bytes(axes, job.itemsize);
    Way way = choose(job, true, from, axes);
    if (way == Way::upload_ring) {
        const auto size = static_cast<std::size_t>(bytes_of(axes, job.itemsize));
        const int status = upload_async(job.runtime, job.scope, to, from, size, job.fence);
        if (status || job.fence) return job.done = !status, status;
        way = Way::direct; // the ring is full
    }
    if (way == Way::direct && one_run && job.waits && !job.stream)
        return copy_now(job, to, from, bytes_of(axes, job.itemsize), Direction::host_to_device);
    return in_slabs(job, way, to, const_cast<char *>(from), axes, up);
}

int from_device(Job &job, char *to, const char *from, Axes axes) {
    if (!axes.elements() || !job.itemsize) return success;
    // From here on `to` of the axes is the device's side, as in to_device().
    swap_sides(axes);
    char *device = const_cast<char *>(from);
    const char *start = to;
    normalise(device, start, axes);
    char *host = const_cast<char *>(start);
    Axes repeated; // the device's element is one, the host's are many
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].to) continue;
        repeated.add(axes.axis[at]);
        axes.remove(at);
    }
    if (repeated.count) {
        if (job.capturing) return capture_unsupported;
        return down(job, job.waits ? Way::bounce : Way::host_functions, device, host, axes, repeated);
    }
    const bool one_run = take_as_bytes(axes, job.itemsize);
    const Way way = choose(job, false, host, axes);
    if (way == Way::direct && one_run && job.waits && !job.stream)
        return copy_now(job, host, device, bytes_of(axes, job.itemsize), Direction::device_to_host);
    return in_slabs(job, way, device, host, axes,
                    [](Job &part, Way by, char *on_device, char *on_host, const Axes &some) {
                        return down(part, by, on_device, on_host, some, {});
                    });
}

int copy_and_wait(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
                  Direction direction, Watch *watch) {
    StagingBuffer staging;
    Job job{runtime, scope, nullptr, 1, staging};
    job.waits = true;
    job.watch = watch;
    Axes axes;
    axes.add({static_cast<ssize_t>(size), 1, 1});
    const auto copy = direction == Direction::host_to_device ? to_device : from_device;
    int status = copy(job, static_cast<char *>(to), static_cast<const char *>(from), axes);
    if (job.done && !status) return status;
    const int waited = scope(runtime.stream_synchronize(nullptr)); // after a failure, too
    if (waited) scope(runtime.stream_synchronize(nullptr));        // the staging buffers are reused
    if (!status) status = waited;
    if (!status) job.rest.run();
    return status;
}

} // namespace pygpu::arrays
