// Putting the axes of a copy in order.
#include "arrays/transfer/sides.hpp"

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

} // namespace pygpu::arrays
