// Arithmetic of shapes and strides.
#include "arrays/base/layout.hpp"

#include "common/checked_int.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace pygpu::arrays {

ssize_t Layout::count() const {
    ssize_t product = 1;
    bool empty = false;
    for (int axis = 0; axis < axes; ++axis) {
        if (shape[axis])
            product *= shape[axis];
        else
            empty = true;
    }
    return empty ? 0 : product;
}

bool Layout::contiguous_as_c() const {
    ssize_t expected = itemsize;
    bool fits = true;
    for (int axis = axes - 1; axis >= 0; --axis) {
        if (shape[axis] == 0) return true;
        if (shape[axis] == 1) continue;
        fits = fits && strides[axis] == expected;
        expected *= shape[axis];
    }
    return fits;
}

bool Layout::contiguous_as_f() const {
    ssize_t expected = itemsize;
    bool fits = true;
    for (int axis = 0; axis < axes; ++axis) {
        if (shape[axis] == 0) return true;
        if (shape[axis] == 1) continue;
        fits = fits && strides[axis] == expected;
        expected *= shape[axis];
    }
    return fits;
}

void Layout::set_strides(char order) {
    CheckedInt<ssize_t> stride = itemsize; // bytes_of() refuses what doesn't fit
    for (int step = 0; step < axes; ++step) {
        const int axis = order == 'F' ? step : axes - 1 - step;
        strides[axis] = stride.saturated();
        stride *= std::max<ssize_t>(shape[axis], 1);
    }
}

Layout Layout::compact(char letter) const {
    Layout result = *this;
    if (letter != 'K') {
        result.set_strides(letter);
        return result;
    }
    int order[most_axes];
    std::iota(order, order + axes, 0);
    // Insertion sort, as in numpy, so that axes of stride 0 keep their place.
    for (int at = 1; at < axes; ++at) {
        int position = at;
        for (int before = at - 1; before >= 0; --before) {
            const ssize_t left = std::abs(strides[order[before]]);
            const ssize_t right = std::abs(strides[order[at]]);
            if (!left || !right) continue;
            if (left >= right) break;
            position = before;
        }
        std::rotate(order + position, order + at, order + at + 1);
    }
    CheckedInt<ssize_t> stride = itemsize;
    for (int at = axes - 1; at >= 0; --at) {
        result.strides[order[at]] = stride.saturated();
        stride *= std::max<ssize_t>(shape[order[at]], 1);
    }
    return result;
}

bool Layout::span(ssize_t &lowest, ssize_t &end) const {
    lowest = end = 0;
    CheckedInt<ssize_t> below = 0, above = itemsize;
    for (int axis = 0; axis < axes; ++axis) {
        if (!shape[axis]) return true;
        (strides[axis] < 0 ? below : above) += CheckedInt(strides[axis]) * (shape[axis] - 1);
    }
    // The difference of the two is the size of the memory, which must be in range as well.
    return (above - below).fits() && below.fits(lowest) && above.fits(end);
}

bool have_addresses(const void *first, ssize_t lowest, ssize_t end) {
    const CheckedInt address = reinterpret_cast<std::uintptr_t>(first);
    const std::uintptr_t below = 0 - static_cast<std::uintptr_t>(lowest);
    return address.value_or(0) > below && (address + static_cast<std::uintptr_t>(end)).fits();
}

bool bytes_of(const Layout &layout, std::size_t &bytes) {
    CheckedInt<ssize_t> product = layout.itemsize;
    bool empty = false;
    for (int axis = 0; axis < layout.axes; ++axis) {
        if (layout.shape[axis])
            product *= layout.shape[axis];
        else
            empty = true;
    }
    bytes = empty ? 0 : static_cast<std::size_t>(product.value_or(0));
    return product.fits();
}

// numpy's rule: divide the axes of both shapes into groups with equal products. Each group must be one run in
// the old layout.
bool reshape_in_place(const Layout &from, Layout &to, char order) {
    const bool fortran = order == 'F';
    if (!from.count()) {
        to.set_strides(order);
        return true;
    }
    ssize_t old_shape[most_axes], old_strides[most_axes];
    int old_axes = 0;
    for (int axis = 0; axis < from.axes; ++axis) {
        if (from.shape[axis] == 1) continue;
        old_shape[old_axes] = from.shape[axis];
        old_strides[old_axes++] = from.strides[axis];
    }
    int old_begin = 0, old_end = 1, new_begin = 0, new_end = 1;
    while (new_begin < to.axes && old_begin < old_axes) {
        ssize_t fresh = to.shape[new_begin], old = old_shape[old_begin];
        while (fresh != old) {
            if (fresh < old)
                fresh *= to.shape[new_end++];
            else
                old *= old_shape[old_end++];
        }
        for (int axis = old_begin; axis < old_end - 1; ++axis) {
            const bool run = fortran ? old_strides[axis + 1] == old_shape[axis] * old_strides[axis]
                                     : old_strides[axis] == old_shape[axis + 1] * old_strides[axis + 1];
            if (!run) return false;
        }
        if (fortran) {
            to.strides[new_begin] = old_strides[old_begin];
            for (int axis = new_begin + 1; axis < new_end; ++axis)
                to.strides[axis] = to.strides[axis - 1] * to.shape[axis - 1];
        } else {
            to.strides[new_end - 1] = old_strides[old_end - 1];
            for (int axis = new_end - 1; axis > new_begin; --axis)
                to.strides[axis - 1] = to.strides[axis] * to.shape[axis];
        }
        new_begin = new_end++;
        old_begin = old_end++;
    }
    // What is left has extent 1.
    ssize_t last = new_begin ? to.strides[new_begin - 1] : to.itemsize;
    if (fortran && new_begin) last *= to.shape[new_begin - 1];
    for (int axis = new_begin; axis < to.axes; ++axis) to.strides[axis] = last;
    return true;
}

void Axes::remove(int at) {
    std::copy(axis + at + 1, axis + count, axis + at);
    --count;
}

// An insertion sort, since the axes are mostly in order. std::stable_sort would allocate memory.
void Axes::sort_by_to() {
    const auto comes_first = [](const Axis &one, const Axis &other) {
        return one.to != other.to ? one.to > other.to : one.from > other.from;
    };
    for (int next = 1; next < count; ++next) {
        for (int at = next; at && comes_first(axis[at], axis[at - 1]); --at)
            std::swap(axis[at], axis[at - 1]);
    }
}

void Axes::merge() {
    int last = 0;
    for (int at = 1; at < count; ++at) {
        Axis &outer = axis[last];
        const Axis &inner = axis[at];
        if (outer.to == inner.to * inner.extent && outer.from == inner.from * inner.extent)
            outer = {outer.extent * inner.extent, inner.to, inner.from};
        else
            axis[++last] = inner;
    }
    if (count) count = last + 1;
}

ssize_t Axes::size() const {
    ssize_t product = 1;
    for (int at = 0; at < count; ++at) product *= axis[at].extent;
    return product;
}

bool same_shape(const Layout &one, const Layout &other) {
    return one.axes == other.axes && std::equal(one.shape, one.shape + one.axes, other.shape);
}

bool same_strides(const Layout &one, const ssize_t *strides) {
    for (int axis = 0; axis < one.axes; ++axis) {
        if (one.strides[axis] != strides[axis] && one.shape[axis] > 1) return false;
    }
    return true;
}

bool overlap(const char *one, const Layout &layout, const char *other, const Layout &other_layout) {
    ssize_t low = 0, end = 0, other_low = 0, other_end = 0;
    if (!layout.span(low, end) || !other_layout.span(other_low, other_end)) return true;
    return one + low < other + other_end && other + other_low < one + end;
}

} // namespace pygpu::arrays
