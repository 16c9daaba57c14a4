// The two sides of a copy on a device: put in order, packed, compact.
//
// The device's side is the strides `to` of the axes, the other one `from`.
#pragma once

#include "arrays/base/layout.hpp"

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

} // namespace pygpu::arrays
