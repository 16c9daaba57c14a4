// Shapes and strides, as numpy means them: strides in bytes, any sign, any order.
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace pygpu::arrays {

inline constexpr int most_axes = 64; // as numpy 2

struct Layout {
    int axes = 0;
    ssize_t itemsize = 0;
    ssize_t shape[most_axes];
    ssize_t strides[most_axes];

    // Elements, of a layout whose bytes are known to be in range (bytes_of()).
    ssize_t count() const;
    bool contiguous_as_c() const;
    bool contiguous_as_f() const;

    void set_strides(char order); // "C" or "F", from shape and itemsize
    // Compact strides in the order that another layout of the same shape has (numpy's order "K").
    void set_strides_like(const Layout &other);

    // Bytes from the lowest to the highest address, relative to the first element; an empty layout spans
    // none. False where they are out of range.
    [[nodiscard]] bool span(ssize_t &lowest, ssize_t &end) const;
};

// The bytes of `shape` elements; false where the number is out of range, and as in numpy also where an
// extent of 0 makes it 0, but the others leave the range. All else here requires layouts that passed.
[[nodiscard]] bool bytes_of(const Layout &layout, std::size_t &bytes);

bool same_shape(const Layout &one, const Layout &other);
bool same_strides(const Layout &one, const ssize_t *strides);

// Whether two layouts may have bytes in common: by their addresses, since a user may have given an array the
// address of another's memory, or of the host's.
bool overlap(const char *one, const Layout &layout, const char *other, const Layout &other_layout);

// Strides for a new shape on the same memory, where that is possible without a copy.
bool reshape_in_place(const Layout &from, Layout &to, char order);

// One axis of work on two sides; sides without a second one leave it 0.
struct Axis {
    ssize_t extent;
    ssize_t to; // strides
    ssize_t from;
};

// Axes of work, extents of 1 left out. The bytes of an element are an axis, too: {itemsize, 1, 1}.
struct Axes {
    int count = 0;
    Axis axis[most_axes]; // the first `count` alone are set, and copied

    Axes() {}
    Axes(const Axes &other) { *this = other; }
    Axes &operator=(const Axes &other) {
        if (this == &other) return *this;
        count = other.count;
        for (int at = 0; at < count; ++at) axis[at] = other.axis[at];
        return *this;
    }

    void add(const Axis &one) { axis[count++] = one; }
    void remove(int at);
    void sort_by_to();    // greatest stride of `to` first
    void merge();         // neighbours that are one run on both sides
    ssize_t size() const; // bytes
};

} // namespace pygpu::arrays
