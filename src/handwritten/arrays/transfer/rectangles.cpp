// Composing strided copies.
#include "arrays/transfer/rectangles.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pools.hpp"

namespace pygpu::arrays {

Rectangles::Rectangles(const Axes &axes, ssize_t itemsize) : loops_(axes) {
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

bool Rectangles::is_pitch(ssize_t stride) const { return stride >= width_ && stride <= most_pitch; }

void Rectangles::take_rows() {
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
void Rectangles::take_slices() {
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

int Rectangles::loop(Job &job, char *to, const char *from, Direction direction, int at) const {
    if (at == loops_.count) return call(job, to, from, direction);
    const Axis &axis = loops_.axis[at];
    int status = success;
    for (ssize_t step = 0; step < axis.extent && !status; ++step)
        status = loop(job, to + step * axis.to, from + step * axis.from, direction, at + 1);
    return status;
}

int Rectangles::call(Job &job, char *to, const char *from, Direction direction) const {
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

Temporary::Temporary(Job &job, ssize_t size) : job_(job), size_(static_cast<std::size_t>(size)) {
    pool_ = pool_of(job.runtime, job.scope);
    if (!pool_ && job.capturing) { // it could be freed after waiting only
        status_ = capture_unsupported;
        return;
    }
    allocate();
    if (status_ == out_of_memory && !job.capturing && give_all_back(job.runtime, job.scope)) allocate();
}

Temporary::~Temporary() {
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

void Temporary::allocate() {
    status_ = job_.scope(pool_ ? job_.runtime.malloc_from_pool(&pointer_, size_, pool_, job_.stream)
                               : job_.runtime.malloc(&pointer_, size_));
}

} // namespace pygpu::arrays
