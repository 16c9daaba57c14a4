// Putting the axes of a copy in order.
#include "arrays/transfer/sides.hpp"

#include <utility>

namespace pygpu::arrays {

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
    ssize_t stride = itemsize;
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].from != stride) return false;
        stride *= axes.axis[at].extent;
    }
    return true;
}

void drop_repeated(const char *&from, Axes &axes) {
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].to) continue;
        from += axes.axis[at].from * (axes.axis[at].extent - 1);
        axes.remove(at);
    }
}

ssize_t reach_of(const Axes &axes, ssize_t itemsize) {
    ssize_t end = itemsize;
    for (int at = 0; at < axes.count; ++at) end += (axes.axis[at].extent - 1) * axes.axis[at].to;
    return end;
}

bool is_compact(const Axes &axes, ssize_t itemsize) {
    ssize_t stride = itemsize;
    for (int at = axes.count - 1; at >= 0; --at) {
        if (axes.axis[at].to != stride) return false;
        stride *= axes.axis[at].extent;
    }
    return true;
}

ssize_t bytes_of(const Axes &axes, ssize_t itemsize) { return axes.elements() * itemsize; }

} // namespace pygpu::arrays
