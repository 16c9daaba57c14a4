// Composing strided copies.
#include "arrays/transfer/engine.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pools.hpp"
#include "arrays/transfer/host.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace pygpu::arrays {
namespace {

constexpr ssize_t most_pitch = INT_MAX;            // no card takes a longer row
constexpr ssize_t narrow = 64;                     // rows shorter than this go over the bus badly,
constexpr ssize_t narrow_on_link = 16;             // and such ones over a link
constexpr ssize_t few = 32;                        // unless there are only so many
constexpr ssize_t most_calls = 256;                // so many single copies cost as much as staging
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

    // Whether the rows may cross the bus, or a link, as they are; else they are packed on the device.
    bool go_over(ssize_t size, ssize_t least_width) const {
        return size / width_ <= few || (width_ >= least_width && count() <= most_calls);
    }

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

// The range of device memory (the `from` side, strides not negative) in which the elements lie.
struct Sparse {
    Axes axes;

    ssize_t reach(ssize_t itemsize) const {
        ssize_t end = itemsize;
        for (int at = 0; at < axes.count; ++at) end += (axes.axis[at].extent - 1) * axes.axis[at].from;
        return end;
    }
};

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

} // namespace

int to_device(Job &job, char *to, const char *from, Axes axes) {
    if (!axes.elements() || !job.itemsize) return success;
    normalise(to, from, axes);
    drop_repeated(from, axes);
    const ssize_t size = axes.elements() * job.itemsize;
    if (!is_packed(axes, job.itemsize)) { // bring it into the device's order first
        char *buffer = job.staging.take(job.runtime, job.scope, static_cast<std::size_t>(size));
        if (!buffer) return out_of_memory;
        Axes packing = packed(axes, job.itemsize), source = axes;
        for (int at = 0; at < axes.count; ++at) source.axis[at].to = packing.axis[at].from;
        copy_on_host(buffer, from, source, job.itemsize);
        from = buffer;
        axes = packing;
        axes.merge();
    }
    const Calls calls(axes, job.itemsize);
    if (calls.go_over(size, narrow)) return calls.run(job, to, from, Direction::host_to_device);
    const Temporary temporary(job, size);
    if (temporary.status()) return temporary.status();
    const int status = job.scope(job.runtime.copy_async(
        temporary.data(), from, static_cast<std::size_t>(size), Direction::host_to_device, job.stream));
    return status ? status : calls.run(job, to, temporary.data(), Direction::device_to_device);
}

void Unpacking::run() const {
    if (needed) copy_on_host(to, from, axes, itemsize);
}

int from_device(Job &job, char *to, const char *from, Axes axes, Unpacking &rest) {
    rest.needed = false;
    if (!axes.elements() || !job.itemsize) return success;
    // From here on `to` of the axes is the device's side, as in to_device().
    swap_sides(axes);
    char *device = const_cast<char *>(from);
    const char *host = to;
    normalise(device, host, axes);
    Axes repeated; // the device's element is one, the host's are many
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].to) continue;
        repeated.add(axes.axis[at]);
        axes.remove(at);
    }
    const ssize_t size = axes.elements() * job.itemsize;
    Sparse sparse{axes};
    swap_sides(sparse.axes);
    for (int at = 0; at < repeated.count; ++at)
        sparse.axes.add({repeated.axis[at].extent, repeated.axis[at].from, 0});
    char *target = const_cast<char *>(host);
    // Page-locked memory takes a small copy faster than the caller's own.
    const bool bounce = job.waits && size <= static_cast<ssize_t>(StagingBuffer::most_pinned);
    if (bounce || repeated.count || !is_packed(axes, job.itemsize)) {
        target = job.staging.take(job.runtime, job.scope, static_cast<std::size_t>(size));
        if (!target) return out_of_memory;
        const Axes packing = packed(axes, job.itemsize);
        rest = {true, const_cast<char *>(host), target, axes, job.itemsize};
        for (int at = 0; at < axes.count; ++at)
            rest.axes.axis[at] = {axes.axis[at].extent, axes.axis[at].from, packing.axis[at].from};
        for (int at = 0; at < repeated.count; ++at)
            rest.axes.add({repeated.axis[at].extent, repeated.axis[at].from, 0});
        axes = packing;
        axes.merge();
    }
    swap_sides(axes);
    const Calls calls(axes, job.itemsize);
    const ssize_t reach = sparse.reach(job.itemsize);
    const bool over_the_bus = calls.go_over(size, narrow);
    if ((job.waits && !over_the_bus && reach <= static_cast<ssize_t>(StagingBuffer::most_pinned)) ||
        (calls.count() > most_calls && reach <= 16 * size)) {
        // Too torn for the engine, or too little for a second copy on the device: the whole range of
        // memory, picked apart on the host.
        char *range = job.staging.take(job.runtime, job.scope, static_cast<std::size_t>(reach));
        if (!range) return out_of_memory;
        rest = {true, const_cast<char *>(host), range, sparse.axes, job.itemsize};
        return job.scope(job.runtime.copy_async(range, device, static_cast<std::size_t>(reach),
                                                Direction::device_to_host, job.stream));
    }
    if (over_the_bus) return calls.run(job, target, device, Direction::device_to_host);
    const Temporary temporary(job, size);
    if (temporary.status()) return temporary.status();
    const int status = calls.run(job, temporary.data(), device, Direction::device_to_device);
    if (status) return status;
    return job.scope(job.runtime.copy_async(target, temporary.data(), static_cast<std::size_t>(size),
                                            Direction::device_to_host, job.stream));
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
    if (calls.count() <= most_calls) return calls.run(job, to, from, Direction::device_to_device);
    if (job.capturing) return capture_unsupported;
    // Through the host, whose caches make short work of a turn that the engine has no call for.
    Unpacking rest;
    char *buffer = job.staging.take(job.runtime, job.scope, static_cast<std::size_t>(size));
    if (!buffer) return out_of_memory;
    Axes down = packed(axes, job.itemsize);
    for (int at = 0; at < down.count; ++at)
        down.axis[at] = {axes.axis[at].extent, down.axis[at].from, axes.axis[at].from};
    int status = from_device(job, buffer, from, down, rest);
    if (!status) status = job.scope(job.runtime.stream_synchronize(job.stream));
    if (status) return status;
    rest.run();
    return to_device(job, to, buffer, packed(axes, job.itemsize));
}

bool goes_between_devices(char *to, const char *from, Axes axes, ssize_t itemsize) {
    normalise(to, from, axes);
    drop_repeated(from, axes);
    for (int at = axes.count - 1; at >= 0; --at) {
        if (!axes.axis[at].from) axes.remove(at); // goes over once
    }
    return Calls(axes, itemsize).go_over(axes.elements() * itemsize, narrow_on_link);
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
