// Copies between the host and a device, by the path that the table chooses.
#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/memory/trim.hpp"
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/host.hpp"
#include "arrays/transfer/moves.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <memory>

namespace pygpu::arrays {
namespace {

// Asks about both ends, because only a part of the memory may be registered. Older releases fail for ordinary
// memory.
bool is_pageable(Job &job, const char *host, const Axes &axes) {
    const auto [low, high] = ends_of(host, axes, &Axis::from);
    bool first = false, last = false;
    job.scope.expect([&] { return job.runtime.ask_pageable(low, &first); });
    job.scope.expect([&] { return job.runtime.ask_pageable(high, &last); });
    return first && last;
}

// The path of a copy. Asks the runtime about the host's memory only if the path depends on it.
CopyPath choose(Job &job, bool up, const char *host, const Axes &axes) {
    const auto size = static_cast<std::size_t>(axes.size());
    const bool strided = !is_packed(axes);
    using Uploads = Buffer::Uploads;
    const bool on_default = !job.stream && is_compact(axes);
    const int threads = pieces_of(size, up, strided, job.runtime.api.host).threads;
    CopyRequest request{
        size,   up, true, strided, job.waits, job.capturing, on_default && job.may_queue != Uploads::none,
        threads};
    const CopyPath path_of_pageable = copy_path_of(request);
    request.pageable = false;
    request.may_queue = on_default && job.may_queue == Uploads::all;
    const CopyPath path_of_others = copy_path_of(request);
    const bool decides = !job.pagelocked && path_of_others != path_of_pageable;
    return decides && is_pageable(job, host, axes) ? path_of_pageable : path_of_others;
}

// Copies as cudaMemcpy does, but in slices, so that signals can stop it.
int copy_now(Job &job, bool up, char *device, char *host, ssize_t size) {
    const Fence before = last_upload(job.scope.device());
    char *to = up ? device : host, *from = up ? host : device;
    int status = success;
    for (std::size_t at = 0, all = static_cast<std::size_t>(size); at < all && !status; at += sizes::slice) {
        if (at && !job.goes_on()) break;
        const std::size_t piece = std::min(sizes::slice, all - at);
        status = job.scope(job.runtime.copy(to + at, from + at, piece, Job::bus(up)));
        if (!status && job.watch) job.watch->add(piece);
    }
    if (!status && before) note_arrival(job.scope.device(), before);
    job.done = true;
    return status;
}

// The staging buffer of a part. All parts of a queued copy share one, since the stream does them one after
// the other. If it can't be page-locked, each part has its own, and the host fills it now for an upload.
// Because the runtime may read ordinary memory during its call, before the stream has run a host function.
char *staging_of(Job &job, CopyPath &path, ssize_t size, bool up) {
    if (path == CopyPath::host_functions) {
        if (size > job.shared_size) {
            job.shared = job.staging.take_pinned(job.runtime, job.scope, static_cast<std::size_t>(size),
                                                 sizes::most_staged);
            job.shared_size = job.shared ? size : 0;
        }
        if (job.shared) return job.shared;
        if (up) path = CopyPath::bounce;
    }
    return job.stage(size);
}

// The CPU's part of a copy: before the bus for an upload, after it for a download. A host function on the
// stream makes it. If that is not possible, the caller waits for the stream and makes it.
int copy_by_cpu(Job &job, bool up, CopyPath path, const HostCopy &copy) {
    const bool queued = path == CopyPath::host_functions;
    if (queued) {
        const auto kept = std::make_shared<HostCopy>(copy);
        job.staging.keep(kept);
        const int status = job.scope(job.runtime.launch_host_function(
            job.stream, [](void *argument) { static_cast<HostCopy *>(argument)->run(); }, kept.get()));
        if (status != job.runtime.codes.not_supported && status != job.runtime.codes.no_symbol) return status;
    }
    const int waited = queued || !up ? job.synchronize() : success;
    if (!waited) copy.run();
    if (!queued && !up) {
        job.done = true;
        job.staging.drop_last(); // the next part takes its own
    }
    return waited;
}

// Copies through one run of device memory: `lay` copies between this run and the device's side, `bring`
// between this run and the host.
template <class Lay, class Bring> int pack(Job &job, bool up, std::size_t size, Lay lay, Bring bring) {
    const Runtime &runtime = job.runtime;
    const Pool pool = pool_of(runtime, job.scope);
    if (!pool && job.capturing)
        return runtime.codes.capture_unsupported; // the memory could only be freed after a wait
    void *run = nullptr;
    const auto allocate = [&] {
        return job.scope(pool ? runtime.malloc_from_pool(&run, size, pool, job.stream)
                              : runtime.malloc(&run, size));
    };
    int status = allocate();
    if (status == runtime.codes.out_of_memory && !job.capturing && give_all_back(runtime, job.scope))
        status = allocate();
    if (status) return status;
    const auto do_next = [&](bool brings) {
        auto *const bytes = static_cast<char *>(run);
        return brings ? bring(bytes) : lay(bytes, Direction::device_to_device);
    };
    status = do_next(up);
    const bool stopped = job.watch && job.watch->stopped(); // then the rest of the run is not written
    if (!status && !stopped) status = do_next(!up);
    if (!pool) job.synchronize();
    if (job.scope(pool ? runtime.free_async(run, job.stream) : runtime.free(run)))
        defer_free(pool ? Buffer::Kind::pool : Buffer::Kind::plain, run, size, job.scope.device());
    return status;
}

// Copies one part. A download also writes to the places of the host along the `repeated` axes.
int copy_part(Job &job, bool up, CopyPath path, char *device, char *host, const Axes &axes,
              const Axes &repeated) {
    const ssize_t size = axes.size(), reach = reach_of(axes);
    const Axes packing = packed(axes);
    Axes sides = packing;
    if (!up) swap_sides(sides);
    sides.merge();
    const Rectangles calls(sides);
    // A kernel is loaded only where it would pack the rows.
    Rows rows{size, calls.width(), calls.count(), reach, up, job.waits, true, path};
    rows.kernels =
        !is_compact(axes) && rows_path_of(rows) == RowsPath::packed && has_kernel_for(job, device, up, sides);
    const RowsPath by = rows_path_of(rows);
    const bool whole = by == RowsPath::whole_range;
    const auto lay = [&](char *run, Direction direction) {
        char *const to = up ? device : run, *const from = up ? run : device;
        const bool packs = direction == Direction::device_to_device;
        if (packs && rows.kernels)
            if (const auto status = copy_by_kernel(job, to, from, sides)) return *status;
        return calls.run(job, to, from, direction);
    };
    const bool by_pieces = path == CopyPath::pieces && !whole,
               staged = whole || (path != CopyPath::direct && !by_pieces);
    char *run = host;
    HostCopy rest;
    int status = success;
    if (staged) {
        if (!up && job.capturing) return job.runtime.codes.capture_unsupported;
        if (whole && !job.waits)
            path = CopyPath::host_functions; // only a host function can pick out the rows later
        run = staging_of(job, path, whole ? reach : size, up);
        if (!run) return job.runtime.codes.out_of_memory;
        rest = {up ? run : host, up ? host : run, axes};
        for (int at = 0; at < axes.count && !whole; ++at) rest.axes.axis[at].to = packing.axis[at].from;
        for (int at = 0; at < repeated.count; ++at) rest.axes.add(repeated.axis[at]);
        if (!up) swap_sides(rest.axes);
        if (up) status = copy_by_cpu(job, up, path, rest);
    }
    const auto bring = [&](char *there) {
        return by_pieces ? copy_by_pieces(job, up, there, host, axes)
                         : job.cross(up, there, run, whole ? reach : size);
    };
    if (!status) {
        status = whole || is_compact(axes)    ? bring(device)
                 : by == RowsPath::rectangles ? lay(run, Job::bus(up))
                                              : pack(job, up, static_cast<std::size_t>(size), lay, bring);
    }
    return status || up || !staged ? status : copy_by_cpu(job, up, path, rest);
}

// Copies in parts of limited size, along the axes with the device's greatest strides.
int copy_in_parts(Job &job, bool up, CopyPath path, char *device, char *host, const Axes &axes) {
    const ssize_t size = axes.size();
    const bool pieces = path == CopyPath::pieces;
    const auto most = static_cast<ssize_t>(pieces ? sizes::packed : sizes::most_staged);
    const bool bounded = pieces ? !is_compact(axes) : path == CopyPath::host_functions;
    if (!bounded || size <= most || !axes.count) return copy_part(job, up, path, device, host, axes, {});
    const Axis outer = axes.axis[0];
    const ssize_t steps = std::max<ssize_t>(most / (size / outer.extent), 1);
    int status = success;
    for (ssize_t at = 0; at < outer.extent && !status; at += steps) {
        if (at && !job.goes_on()) break;
        Axes some = axes;
        some.axis[0].extent = std::min(steps, outer.extent - at);
        if (some.axis[0].extent == 1) some.remove(0);
        status = copy_in_parts(job, up, path, device + at * outer.to, host + at * outer.from, some);
    }
    return status;
}

// The copy is done when it returns, if `job.done` is set then.
int queue_with_host(Job &job, bool up, char *device, char *host, Axes axes) {
    Axes repeated; // along these axes one element of the device goes to many places of the host
    const Shift start = normalise(axes, up ? nullptr : &repeated);
    device += start.to;
    host += start.from;
    if (repeated.count) {
        const CopyPath path = job.waits ? CopyPath::bounce : CopyPath::host_functions;
        return copy_part(job, up, path, device, host, axes, repeated);
    }
    const ssize_t size = axes.size();
    const bool one_run = is_packed(axes) && is_compact(axes);
    CopyPath path = choose(job, up, host, axes);
    if (path == CopyPath::upload_ring) {
        const int status =
            upload_async(job.runtime, job.scope, device, host, static_cast<std::size_t>(size), job.fence);
        if (status || job.fence) return job.done = !status, status;
        path = CopyPath::direct; // the ring is full
    }
    if (path == CopyPath::direct && one_run && job.waits && !job.stream)
        return copy_now(job, up, device, host, size);
    return copy_in_parts(job, up, path, device, host, axes);
}

} // namespace

int copy_with_host(Job &job, bool up, char *device, char *host, const Axes &axes) {
    if (!axes.size()) return success;
    job.done = !job.waits;
    const int status = queue_with_host(job, up, device, host, axes);
    if (job.capturing || (!status && job.done)) return status;
    const int waited = job.synchronize();
    return status ? status : waited;
}

int copy_and_wait(Scope &scope, bool up, void *device, void *host, std::size_t size, ProgressWatch *watch) {
    StagingBuffer staging;
    Job job{scope.runtime(), scope, nullptr, staging};
    job.waits = true;
    job.watch = watch;
    Axes axes;
    axes.add({static_cast<ssize_t>(size), 1, 1});
    return copy_with_host(job, up, static_cast<char *>(device), static_cast<char *>(host), axes);
}

} // namespace pygpu::arrays
