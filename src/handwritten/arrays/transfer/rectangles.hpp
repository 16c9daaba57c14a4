// The device's own 1-D, 2-D and 3-D copies that together are a strided one.
#pragma once

#include "arrays/transfer/engine.hpp"

#include <climits>

namespace pygpu::arrays {

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
