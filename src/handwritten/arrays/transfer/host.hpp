// Moving elements between strided layouts of the host's memory, by the CPU.
#pragma once

#include "arrays/base/layout.hpp"

namespace pygpu::arrays {

// Any strides on both sides, 0 and negative ones too. The sides must not overlap.
void copy_on_host(char *to, const char *from, Axes axes, ssize_t itemsize);

} // namespace pygpu::arrays
