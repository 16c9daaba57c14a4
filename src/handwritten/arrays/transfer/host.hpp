// Moving elements between strided layouts of the host's memory, by the CPU.
#pragma once

#include "arrays/base/layout.hpp"

#include <cstddef>

namespace pygpu::arrays {

// A strided copy that is to be made. Any strides on both sides, 0 and negative ones too; they must not
// overlap.
struct HostCopy {
    char *to = nullptr;
    const char *from = nullptr;
    Axes axes;
    ssize_t itemsize = 0;

    void run() const;
};

// The host's side of a copy: elements in the order of the axes, at the strides `from` of them.
struct HostSide {
    char *data;
    Axes axes;
    ssize_t itemsize;

    // Copies `count` elements from the `first` on to packed memory, or from it.
    void copy(bool gather, char *piece, ssize_t first, ssize_t count) const;
};

} // namespace pygpu::arrays
