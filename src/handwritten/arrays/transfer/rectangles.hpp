// Putting the axes of a copy in order, and composing a strided copy of the runtime's 1-D, 2-D and 3-D copies.
//
// The strides `to` of the axes are the device's side, `from` is the other side.
#pragma once

#include "arrays/transfer/engine.hpp"

#include <climits>
#include <utility>

namespace pygpu::arrays {

// The bytes from the first element before normalise() to the first element after it, on each side.
struct Shift {
    ssize_t to = 0, from = 0;
};
// Normalises the side `to`: positive strides, no extents of 1, greatest stride first. If a stride `to` is 0,
// all elements of that axis go to one place, and the last one counts. Such an axis is dropped, or moved to
// `repeated`.
Shift normalise(Axes &axes, Axes *repeated = nullptr);
void swap_sides(Axes &axes);
// Takes the last axis out if it is a run of bytes on both sides. Returns its length, or 1 if it is none.
ssize_t take_run(Axes &axes);

// The same axes with `from` packed in the order of the axes; and whether `from` is packed so.
Axes packed(const Axes &axes);
bool is_packed(const Axes &axes);
// Whether the device's side is one run.
bool is_compact(const Axes &axes);
// Bytes from the device's first element to the end of its last one. Strides must not be negative.
ssize_t reach_of(const Axes &axes);

// The addresses of the lowest and the highest element on a side, whose first element is at `first`.
std::pair<const char *, const char *> ends_of(const char *first, const Axes &axes, ssize_t Axis::*side);

// Divides a copy into rectangles, each of which one call can copy. The other axes become loops over calls.
class Rectangles {
public:
    explicit Rectangles(const Axes &axes);

    ssize_t width() const { return width_; }
    ssize_t count() const { return loops_.size(); }

    // Makes the calls of the loops from loop `at` on.
    int run(Job &job, char *to, const char *from, Direction direction, int at = 0) const;

private:
    int call(Job &job, char *to, const char *from, Direction direction) const;

    Axes loops_;
    ssize_t width_;
    Axis rows_{1, 0, 0};
    Axis slices_{1, 0, 0};
};

inline constexpr ssize_t most_pitch = INT_MAX; // no device takes longer rows

} // namespace pygpu::arrays
