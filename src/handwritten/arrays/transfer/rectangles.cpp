// Ordering axes, and composing strided copies.
#include "arrays/transfer/rectangles.hpp"

#include <utility>

namespace pygpu::arrays {
namespace {

bool is_run(const Axes &axes, ssize_t Axis::*side) {
    ssize_t stride = 1;
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].*side != stride) return false;
        stride *= axes.axis[at].extent;
    }
    return true;
}

// Takes out the longest axis that fits; of axes of the same length the last one.
template <class Fits> Axis take_longest(Axes &axes, Fits fits) {
    Axis best{1, 0, 0};
    int place = -1;
    for (int at = 0; at < axes.count; ++at) {
        if (fits(axes.axis[at]) && axes.axis[at].extent >= best.extent) best = axes.axis[place = at];
    }
    if (place >= 0) axes.remove(place);
    return best;
}

} // namespace

Shift normalise(Axes &axes, Axes *repeated) {
    Shift shift;
    for (int at = axes.count - 1; at >= 0; --at) {
        Axis &axis = axes.axis[at];
        if (repeated && !axis.to) {
            repeated->add(axis);
        } else if (axis.to <= 0) {
            shift.to += axis.to * (axis.extent - 1);
            shift.from += axis.from * (axis.extent - 1);
            axis.to = -axis.to;
            axis.from = -axis.from;
        }
        if (axis.extent == 1 || !axis.to) axes.remove(at);
    }
    axes.sort_by_to();
    axes.merge();
    return shift;
}

void swap_sides(Axes &axes) {
    for (int at = 0; at < axes.count; ++at) std::swap(axes.axis[at].to, axes.axis[at].from);
}

ssize_t take_run(Axes &axes) {
    const Axis last = axes.count ? axes.axis[axes.count - 1] : Axis{};
    if (last.to != 1 || last.from != 1) return 1;
    axes.remove(axes.count - 1);
    return last.extent;
}

Axes packed(const Axes &axes) {
    Axes result = axes;
    ssize_t stride = 1;
    for (int at = axes.count - 1; at >= 0; --at) {
        result.axis[at].from = stride;
        stride *= axes.axis[at].extent;
    }
    return result;
}

bool is_packed(const Axes &axes) { return is_run(axes, &Axis::from); }

bool is_compact(const Axes &axes) { return is_run(axes, &Axis::to); }

ssize_t reach_of(const Axes &axes) {
    ssize_t end = 1;
    for (int at = 0; at < axes.count; ++at) end += (axes.axis[at].extent - 1) * axes.axis[at].to;
    return end;
}

std::pair<const char *, const char *> ends_of(const char *first, const Axes &axes, ssize_t Axis::*side) {
    const char *low = first, *high = first;
    for (int at = 0; at < axes.count; ++at) {
        const ssize_t last = (axes.axis[at].extent - 1) * axes.axis[at].*side;
        (last < 0 ? low : high) += last;
    }
    return {low, high};
}

Rectangles::Rectangles(const Axes &axes) : loops_(axes) {
    loops_.merge();
    width_ = take_run(loops_);
    const auto is_pitch = [&](ssize_t stride) { return stride >= width_ && stride <= most_pitch; };
    rows_ = take_longest(loops_, [&](const Axis &axis) { return is_pitch(axis.to) && is_pitch(axis.from); });
    if (rows_.extent <= 1) return;
    // Slices are whole numbers of rows on both sides.
    const auto fits = [&](ssize_t stride, ssize_t pitch) {
        return stride >= pitch * rows_.extent && stride % pitch == 0;
    };
    slices_ = take_longest(
        loops_, [&](const Axis &axis) { return fits(axis.to, rows_.to) && fits(axis.from, rows_.from); });
}

int Rectangles::run(Job &job, char *to, const char *from, Direction direction, int at) const {
    if (at == loops_.count) return call(job, to, from, direction);
    const Axis &axis = loops_.axis[at];
    int status = success;
    for (ssize_t step = 0; step < axis.extent && !status; ++step)
        status = run(job, to + step * axis.to, from + step * axis.from, direction, at + 1);
    return status;
}

int Rectangles::call(Job &job, char *to, const char *from, Direction direction) const {
    if (rows_.extent <= 1) return job.copy(to, from, width_, direction);
    const auto size = [](ssize_t value) { return static_cast<std::size_t>(value); };
    const Box box{to,           size(rows_.to),     size(slices_.to / rows_.to),
                  from,         size(rows_.from),   size(slices_.from / rows_.from),
                  size(width_), size(rows_.extent), size(slices_.extent)};
    const auto copy = slices_.extent > 1 ? job.runtime.copy_3d_async : job.runtime.copy_2d_async;
    return job.scope(copy(box, direction, job.stream));
}

} // namespace pygpu::arrays
