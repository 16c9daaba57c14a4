// Shapes and strides as in numpy: strides are in bytes, of any sign and in any order.
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

    // The number of elements. The layout must have passed bytes_of().
    ssize_t count() const;
    bool contiguous_as_c() const;
    bool contiguous_as_f() const;

    void set_strides(char order); // "C" or "F", from shape and itemsize
    // The same elements without gaps: in order C or F, or in the order of the strides (numpy's order "K").
    Layout compact(char order) const;

    // The lowest address and the end of the highest one, relative to the first element. Both are 0 for an
    // empty layout. False if they are out of range.
    [[nodiscard]] bool span(ssize_t &lowest, ssize_t &end) const;
};

// Whether the bytes from `lowest` to `end`, relative to the first element, all have an address, and none has
// the address null.
[[nodiscard]] bool have_addresses(const void *first, ssize_t lowest, ssize_t end);

// The bytes of all elements of the shape. False if the number is out of range. As in numpy, also false if the
// number is 0 by an empty axis, but the other axes alone leave the range. All other functions here require
// layouts that have passed this one.
[[nodiscard]] bool bytes_of(const Layout &layout, std::size_t &bytes);

bool same_shape(const Layout &one, const Layout &other);
bool same_strides(const Layout &one, const ssize_t *strides);

// Whether two layouts may have bytes in common. Compares addresses, because a user may have made an array at
// an address in another array's memory, or in the host's.
bool overlap(const char *one, const Layout &layout, const char *other, const Layout &other_layout);

// Strides for a new shape on the same memory; false if that needs a copy.
bool reshape_in_place(const Layout &from, Layout &to, char order);

// One axis of a copy or fill, with a stride on either side. `from` stays 0 if there is no second side.
struct Axis {
    ssize_t extent;
    ssize_t to; // strides
    ssize_t from;
};

// The axes of a copy or fill, without those of extent 1. The bytes of an element are an axis, too:
// {itemsize, 1, 1}.
struct Axes {
    int count = 0;
    Axis axis[most_axes]; // only the first `count` are set, and copied

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
    void merge();         // joins neighbours that are one run on both sides
    ssize_t size() const; // bytes
};

} // namespace pygpu::arrays
