// Casts within the host's memory by the CPU.
#pragma once

#include "arrays/transfer/cast.hpp"

namespace pygpu::arrays {

// The description of a strided cast. The axes are those of the elements; both sides may have any strides, and
// must not overlap.
struct HostCast {
    char *to = nullptr;
    const char *from = nullptr;
    Axes axes;
    Cast cast;

    void run() const;
};

} // namespace pygpu::arrays
