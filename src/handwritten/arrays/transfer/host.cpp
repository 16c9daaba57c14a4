// The CPU's strided copy.
#include "arrays/transfer/host.hpp"

#include <cstdlib>
#include <cstring>

namespace pygpu::arrays {
namespace {

template <std::size_t size>
void copy_run(char *to, const char *from, ssize_t extent, ssize_t to_stride, ssize_t from_stride) {
    for (ssize_t at = 0; at < extent; ++at) {
        std::memcpy(to, from, size);
        to += to_stride;
        from += from_stride;
    }
}

void copy_run(char *to, const char *from, const Axis &run, ssize_t itemsize) {
    if (run.to == itemsize && run.from == itemsize) {
        std::memcpy(to, from, static_cast<std::size_t>(run.extent * itemsize));
        return;
    }
    switch (itemsize) {
    case 1:
        return copy_run<1>(to, from, run.extent, run.to, run.from);
    case 2:
        return copy_run<2>(to, from, run.extent, run.to, run.from);
    case 4:
        return copy_run<4>(to, from, run.extent, run.to, run.from);
    case 8:
        return copy_run<8>(to, from, run.extent, run.to, run.from);
    case 16:
        return copy_run<16>(to, from, run.extent, run.to, run.from);
    default:
        for (ssize_t at = 0; at < run.extent; ++at)
            std::memcpy(to + at * run.to, from + at * run.from, static_cast<std::size_t>(itemsize));
    }
}

void copy_axes(char *to, const char *from, const Axis *axis, int count, ssize_t itemsize) {
    if (count == 1) return copy_run(to, from, *axis, itemsize);
    for (ssize_t at = 0; at < axis->extent; ++at)
        copy_axes(to + at * axis->to, from + at * axis->from, axis + 1, count - 1, itemsize);
}

} // namespace

void copy_on_host(char *to, const char *from, Axes axes, ssize_t itemsize) {
    for (int at = axes.count - 1; at >= 0; --at) {
        Axis &axis = axes.axis[at];
        if (!axis.extent) return;
        if (axis.extent == 1) {
            axes.remove(at);
        } else if (axis.to < 0) { // the same elements, walked the other way
            to += axis.to * (axis.extent - 1);
            from += axis.from * (axis.extent - 1);
            axis.to = -axis.to;
            axis.from = -axis.from;
        }
    }
    axes.sort_by_to();
    axes.merge();
    if (!axes.count) axes.add({1, itemsize, itemsize});
    copy_axes(to, from, axes.axis, axes.count, itemsize);
}

} // namespace pygpu::arrays
