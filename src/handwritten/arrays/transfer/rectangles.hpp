// The axes of a copy put in order, and the device's own 1-D, 2-D and 3-D copies that together are a strided
// one.
//
// The device's side is the strides `to` of the axes, the other one `from`.
#pragma once

#include "arrays/transfer/engine.hpp"

#include <climits>

namespace pygpu::arrays {

// From the first element that was to the one that is, on each side.
struct Shift {
    ssize_t to = 0, from = 0;
};
// Sorts the side `to` out: positive strides, no extents of 1, greatest stride first. Where its stride is 0,
// what is written last stays: such an axis is left out, or moved to `repeated`.
Shift normalise(Axes &axes, Axes *repeated = nullptr);
void swap_sides(Axes &axes);
// Takes the last axis out where it is a run of bytes on both sides; says how many, 1 for none.
ssize_t take_run(Axes &axes);

// The strides of `from` when its bytes are packed in the order of the axes; whether they are.
Axes packed(const Axes &axes);
bool is_packed(const Axes &axes);
// Whether the device's side is one run.
bool is_compact(const Axes &axes);
// Bytes from the device's first element to the end of its last (strides not negative).
ssize_t reach_of(const Axes &axes);

// The copies that one call each can do, over the axes that no call can take along.
class Rectangles {
public:
    explicit Rectangles(const Axes &axes);

    ssize_t width() const { return width_; }
    ssize_t count() const { return loops_.size(); }

    // Makes those of the loops from `at` on.
    int run(Job &job, char *to, const char *from, Direction direction, int at = 0) const;

private:
    int call(Job &job, char *to, const char *from, Direction direction) const;

    Axes loops_;
    ssize_t width_;
    Axis rows_{1, 0, 0};
    Axis slices_{1, 0, 0};
};

inline constexpr ssize_t most_pitch = INT_MAX; // no card takes a longer row

} // namespace pygpu::arrays
