// Composing strided copies.
#include "arrays/transfer/engine.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/transfer/pieces.hpp"
#include "arrays/transfer/way.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

namespace pygpu::arrays {
namespace {

constexpr ssize_t most_pitch = INT_MAX;            // no card takes a longer row
constexpr ssize_t first_bytes = ssize_t{64} << 10; // a pattern's first piece, from the host

// Sorts a device's side out: positive strides, no extents of 1, greatest stride first. The device is `to`.
void normalise(char *&to, const char *&from, Axes &axes) {
    for (int at = axes.count - 1; at >= 0; --at) {
        Axis &axis = axes.axis[at];
        if (axis.extent == 1) {
            axes.remove(at);
        } else if (axis.to < 0) {
            to += axis.to * (axis.extent - 1);
            from += axis.from * (axis.extent - 1);
            axis.to = -axis.to;
            axis.from = -axis.from;
        }
    }
    axes.sort_by_to();
    axes.merge();
}

void swap_sides(Axes &axes) {
    for (int at = 0; at < axes.count; ++at) std::swap(axes.axis[at].to, axes.axis[at].from);
}

// The strides of `from` when its elements are packed in the order of the axes.
Axes packed(const Axes &axes, ssize_t itemsize) {
    Axes result = axes;
    ssize_t stride = itemsize;
    for (int at = axes.count - 1; at >= 0; --at) {
        result.axis[at].from = stride;
        stride *= axes.axis[at].extent;
    }
    return result;
}

bool is_packed(const Axes &axes, ssize_t itemsize) {
    const Axes wanted = packed(axes, itemsize);
    for (int at = 0; at < axes.count; ++at) {
        if (axes.axis[at].from != wanted.axis[at].from) return false;
    }
    return true;
}

// The copies that one call each can do, over the axes that no call can take along.
class Calls {
public:
    Calls(const Axes &axes, ssize_t itemsize) : loops_(axes) {
        loops_.merge();
        width_ = itemsize;
        if (loops_.count) {
            const Axis &last = loops_.axis[loops_.count - 1];
            if (last.to == itemsize && last.from == itemsize) {
                width_ = last.extent * itemsize;
                loops_.remove(loops_.count - 1);
            }
        }
        take_rows();
        if (rows_.extent > 1) take_slices();
    }

    ssize_t width() const { return width_; }
    ssize_t count() const { return loops_.elements(); }

    int run(Job &job, char *to, const char *from, Direction direction) const {
        return loop(job, to, from, direction, 0);
    }

private:
    bool is_pitch(ssize_t stride) const { return stride >= width_ && stride <= most_pitch; }

    void take_rows() {
        int best = -1;
        for (int at = 0; at < loops_.count; ++at) {
            const Axis &axis = loops_.axis[at];
            if (!is_pitch(axis.to) || !is_pitch(axis.from)) continue;
            if (best < 0 || axis.extent >= loops_.axis[best].extent) best = at;
        }
        if (best < 0) return;
        rows_ = loops_.axis[best];
        loops_.remove(best);
    }

    // Slices are whole numbers of rows on both sides.
    void take_slices() {
        int best = -1;
        auto fits = [&](ssize_t stride, ssize_t pitch) {
            return stride >= pitch * rows_.extent && stride % pitch == 0;
        };
        for (int at = 0; at < loops_.count; ++at) {
            const Axis &axis = loops_.axis[at];
            if (!fits(axis.to, rows_.to) || !fits(axis.from, rows_.from)) continue;
            if (best < 0 || axis.extent > loops_.axis[best].extent) best = at;
        }
        if (best < 0) return;
        slices_ = loops_.axis[best];
        loops_.remove(best);
    }

    int loop(Job &job, char *to, const char *from, Direction direction, int at) const {
        if (at == loops_.count) return call(job, to, from, direction);
        const Axis &axis = loops_.axis[at];
        int status = success;
        for (ssize_t step = 0; step < axis.extent && !status; ++step)
            status = loop(job, to + step * axis.to, from + step * axis.from, direction, at + 1);
        return status;
    }

    int call(Job &job, char *to, const char *from, Direction direction) const {
        const Runtime &runtime = job.runtime;
        const auto size = [](ssize_t value) { return static_cast<std::size_t>(value); };
        if (rows_.extent <= 1) {
            return job.scope(runtime.copy_async(to, from, size(width_), direction, job.stream));
        }
        Box box{to,           size(rows_.to),     size(rows_.extent),
                from,         size(rows_.from),   size(rows_.extent),
                size(width_), size(rows_.extent), 1};
        if (slices_.extent > 1) {
            box.to_rows = size(slices_.to / rows_.to);
            box.from_rows = size(slices_.from / rows_.from);
            box.depth = size(slices_.extent);
        }
        if (slices_.extent <= 1) return job.scope(runtime.copy_2d_async(box, direction, job.stream));
        return job.scope(runtime.copy_3d_async(box, direction, job.stream));
    }

    Axes loops_;
    ssize_t width_;
    Axis rows_{1, 0, 0};
    Axis slices_{1, 0, 0};
};

// Device memory for the time of a job, ordered in its stream.
class Temporary {
public:
    Temporary(Job &job, ssize_t size) : job_(job), size_(static_cast<std::size_t>(size)) {
        pool_ = pool_of(job.runtime, job.scope);
        if (!pool_ && job.capturing) { // it could be freed after waiting only
            status_ = capture_unsupported;
            return;
        }
        allocate();
        if (status_ == out_of_memory && !job.capturing && give_all_back(job.runtime, job.scope)) allocate();
    }
    ~Temporary() {
        if (!pointer_) return;
        if (pool_) {
            if (job_.scope(job_.runtime.free_async(pointer_, job_.stream)))
                defer_free(Buffer::Kind::pool, pointer_, size_, job_.scope.device());
        } else {
            job_.scope(job_.runtime.stream_synchronize(job_.stream));
            if (job_.scope(job_.runtime.free(pointer_)))
                defer_free(Buffer::Kind::plain, pointer_, size_, job_.scope.device());
        }
    }
    Temporary(const Temporary &) = delete;
    Temporary &operator=(const Temporary &) = delete;

    int status() const { return status_; }
    char *data() const { return static_cast<char *>(pointer_); }

private:
    void allocate() {
        status_ = job_.scope(pool_ ? job_.runtime.malloc_from_pool(&pointer_, size_, pool_, job_.stream)
                                   : job_.runtime.malloc(&pointer_, size_));
    }

    Job &job_;
    std::size_t size_;
    Pool pool_ = nullptr;
    void *pointer_ = nullptr;
    int status_ = success;
};

// Bytes from the device's first element to the end of its last (the side `to`, strides not negative).
ssize_t reach_of(const Axes &axes, ssize_t itemsize) {
    ssize_t end = itemsize;
    for (int at = 0; at < axes.count; ++at) end += (axes.axis[at].extent - 1) * axes.axis[at].to;
    return end;
}

// Whether the device's side (`to`) is one run.
bool is_compact(const Axes &axes, ssize_t itemsize) {
    ssize_t stride = itemsize;
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].to != stride) return false;
        stride *= axes.axis[at].extent;
    }
    return true;
}

// Repeats what `written` describes along a further axis, from the device's own: twice as much each time.
int repeat(Job &job, char *to, const Axes &written, const Axis &axis) {
    int status = success;
    for (ssize_t done = 1; done < axis.extent && !status; done *= 2) {
        Axes more = written;
        for (int at = 0; at < more.count; ++at) more.axis[at].from = more.axis[at].to;
        more.add({std::min(done, axis.extent - done), axis.to, axis.to});
        status = on_devices(job, to + done * axis.to, to, more);
    }
    return status;
}

// Sets a run of elements: a piece from the host, the rest from the device's own.
int fill_run(Job &job, char *to, ssize_t count, const char *pattern) {
    const ssize_t itemsize = job.itemsize;
    const auto size = [](ssize_t value) { return static_cast<std::size_t>(value); };
    const ssize_t first = std::min(count, std::max<ssize_t>(first_bytes / itemsize, 1));
    const std::size_t bytes = size(first * itemsize);
    char *piece = job.staging.take(job.runtime, job.scope, bytes);
    if (!piece) return out_of_memory;
    std::memcpy(piece, pattern, size(itemsize));
    for (std::size_t done = size(itemsize); done < bytes; done *= 2)
        std::memcpy(piece + done, piece, std::min(done, bytes - done));
    int status = job.stream ? success : upload_async(job.runtime, job.scope, to, piece, bytes, job.fence);
    if (job.fence)
        job.staging.drop_last();
    else if (!status)
        status = job.scope(job.runtime.copy_async(to, piece, bytes, Direction::host_to_device, job.stream));
    for (ssize_t done = first; done < count && !status; done *= 2) {
        status = job.scope(job.runtime.copy_async(to + done * itemsize, to,
                                                  size(std::min(done, count - done) * itemsize),
                                                  Direction::device_to_device, job.stream));
    }
    return status;
}

// A destination with stride 0 keeps what is written last; a source with stride 0 is one element.
void drop_repeated(const char *&from, Axes &axes) {
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].to) continue;
        from += axes.axis[at].from * (axes.axis[at].extent - 1);
        axes.remove(at);
    }
}

ssize_t bytes_of(const Axes &axes, ssize_t itemsize) { return axes.elements() * itemsize; }

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

int threads_of(const Job &job, std::size_t size) {
    if (!job.stream && job.runtime.api.per_thread) return 1; // each thread has a default stream of its own
    return threads_for(size, job.runtime.api.host);
}

// The way of a copy whose host's side is at the strides `from`; asks the runtime only where that decides.
Way choose(Job &job, bool up, const char *host, const Axes &axes) {
    const auto size = static_cast<std::size_t>(bytes_of(axes, job.itemsize));
    Run run{size,
            up,
            true,
            !is_packed(axes, job.itemsize),
            job.waits,
            job.capturing,
            job.unseen && !job.stream && is_compact(axes, job.itemsize),
            threads_of(job, size)};
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
        if (at && job.watch && !job.watch->go_on()) break;
        const std::size_t piece = std::min(sizes::slice, all - at);
        status = job.scope(job.runtime.copy(to + at, from + at, piece, direction));
        if (!status && job.watch) job.watch->add(piece);
    }
    if (!status && before) note_arrival(job.scope.device(), before);
    job.done = true;
    return status;
}

// Through the same staging buffer for all parts of a queued copy: the stream comes to them one by one.
char *staging_of(Job &job, Way way, ssize_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (way != Way::host_functions) return job.staging.take(job.runtime, job.scope, size);
    if (size > job.shared_size) {
        job.shared = job.staging.take(job.runtime, job.scope, size, sizes::most_staged);
        job.shared_size = job.shared ? size : 0;
    }
    return job.shared;
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
        if (at && job.watch && !job.watch->go_on()) break;
        Axes some = axes;
        some.axis[0].extent = std::min(steps, outer.extent - at);
        if (some.axis[0].extent == 1) some.remove(0);
        status = in_slabs(job, way, device + at * outer.to, host + at * outer.from, some, part);
    }
    return status;
}

int by_pieces(Job &job, char *device, char *host, const Axes &axes, bool up) {
    const auto size = static_cast<std::size_t>(bytes_of(axes, job.itemsize));
    return copy_by_pieces(job.runtime, job.scope, job.stream, device, {host, axes, job.itemsize}, up,
                          threads_of(job, size), job.watch);
}

// To the device (the side `to` of the axes), by a way that is none of one run's alone.
int up(Job &job, Way way, char *to, char *from, Axes axes) {
    const ssize_t size = bytes_of(axes, job.itemsize);
    Axes packing = packed(axes, job.itemsize);
    if (way == Way::pieces) {
        if (is_compact(axes, job.itemsize)) return by_pieces(job, to, from, axes, true);
        const Temporary temporary(job, size);
        if (temporary.status()) return temporary.status();
        const int status = by_pieces(job, temporary.data(), from, axes, true);
        packing.merge();
        if (status) return status;
        return Calls(packing, job.itemsize).run(job, to, temporary.data(), Direction::device_to_device);
    }
    if (way != Way::direct) { // bring it into the device's order first
        char *buffer = staging_of(job, way, size);
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
    const Calls calls(packing, job.itemsize);
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
    const Calls calls(rows, job.itemsize);
    const ssize_t reach = reach_of(axes, job.itemsize);
    const RowsWay by = way_of(Rows{size, calls.width(), calls.count(), reach, false, job.waits, way});
    HostCopy rest{nullptr, nullptr, axes, job.itemsize};
    if (by != RowsWay::whole_range) {
        if (way == Way::pieces && is_compact(axes, job.itemsize))
            return by_pieces(job, device, host, axes, false);
        if (way == Way::pieces) {
            const Temporary temporary(job, size);
            if (temporary.status()) return temporary.status();
            const int status = calls.run(job, temporary.data(), device, Direction::device_to_device);
            return status ? status : by_pieces(job, temporary.data(), host, axes, false);
        }
        for (int at = 0; at < axes.count; ++at) rest.axes.axis[at].to = packing.axis[at].from;
    }
    swap_sides(rest.axes);
    for (int at = 0; at < repeated.count; ++at)
        rest.axes.add({repeated.axis[at].extent, repeated.axis[at].from, 0});
    char *target = host;
    if (by == RowsWay::whole_range || way != Way::direct) {
        if (job.capturing) return capture_unsupported;
        target = staging_of(job, way, by == RowsWay::whole_range ? reach : size);
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
                    [](Job &part, Way by, char *on_device, char *on_host, Axes some) {
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

int on_devices(Job &job, char *to, const char *from, Axes axes) {
    if (!axes.elements() || !job.itemsize) return success;
    normalise(to, from, axes);
    drop_repeated(from, axes);
    for (int at = 0; at < axes.count; ++at) {
        const Axis axis = axes.axis[at];
        if (axis.from) continue;
        // Written once, then doubled from what is written.
        Axes one = axes;
        one.remove(at);
        const int status = on_devices(job, to, from, one);
        return status ? status : repeat(job, to, one, axis);
    }
    const Calls calls(axes, job.itemsize);
    const ssize_t size = axes.elements() * job.itemsize;
    if (calls.count() <= rows::most_calls) return calls.run(job, to, from, Direction::device_to_device);
    if (job.capturing) return capture_unsupported;
    // Through the host, whose caches make short work of a turn that the engine has no call for.
    const ssize_t itemsize = job.itemsize;
    char *buffer = job.staging.take(job.runtime, job.scope, static_cast<std::size_t>(size));
    if (!buffer) return out_of_memory;
    Axes packing = packed(axes, itemsize);
    for (int at = 0; at < packing.count; ++at)
        packing.axis[at] = {axes.axis[at].extent, packing.axis[at].from, axes.axis[at].from};
    int status = from_device(job, buffer, from, packing);
    if (!status) status = job.scope(job.runtime.stream_synchronize(job.stream));
    if (status) return status;
    job.rest.run();
    job.rest.to = nullptr;
    job.itemsize = itemsize;
    return to_device(job, to, buffer, packed(axes, itemsize));
}

bool goes_between_devices(char *to, const char *from, Axes axes, ssize_t itemsize) {
    normalise(to, from, axes);
    drop_repeated(from, axes);
    for (int at = axes.count - 1; at >= 0; --at) {
        if (!axes.axis[at].from) axes.remove(at); // goes over once
    }
    const Calls calls(axes, itemsize);
    return go_over(axes.elements() * itemsize, calls.width(), calls.count(), rows::narrow_on_link);
}

int fill(Job &job, char *to, Axes axes, const char *pattern) {
    const ssize_t itemsize = job.itemsize;
    if (!axes.elements() || !itemsize) return success;
    for (int at = 0; at < axes.count; ++at) axes.axis[at].from = axes.axis[at].to;
    const char *unused = to; // an address to calculate with: there is no source
    normalise(to, unused, axes);
    drop_repeated(unused, axes);
    const bool uniform =
        std::all_of(pattern, pattern + itemsize, [&](char byte) { return byte == *pattern; });
    const auto size = [](ssize_t value) { return static_cast<std::size_t>(value); };
    const int byte = static_cast<unsigned char>(*pattern);
    Axis run{1, itemsize, itemsize};
    if (axes.count && axes.axis[axes.count - 1].to == itemsize) {
        run = axes.axis[axes.count - 1];
        axes.remove(axes.count - 1);
    }
    const ssize_t width = run.extent * itemsize;
    if (uniform && !axes.count) return job.scope(job.runtime.set_async(to, byte, size(width), job.stream));
    if (uniform && axes.count == 1 && axes.axis[0].to >= width && axes.axis[0].to <= most_pitch) {
        return job.scope(job.runtime.set_2d_async(to, size(axes.axis[0].to), byte, size(width),
                                                  size(axes.axis[0].extent), job.stream));
    }
    int status = uniform ? job.scope(job.runtime.set_async(to, byte, size(width), job.stream))
                         : fill_run(job, to, run.extent, pattern);
    Axes written;
    if (run.extent > 1) written.add(run);
    for (; axes.count && !status; axes.remove(axes.count - 1)) {
        status = repeat(job, to, written, axes.axis[axes.count - 1]);
        written.add(axes.axis[axes.count - 1]);
    }
    return status;
}

} // namespace pygpu::arrays
