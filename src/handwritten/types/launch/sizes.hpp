// The sizes of a kernel's parameters, where the library can tell.
#pragma once

#include "binding/argument_context.hpp"
#include "types/launch/values.hpp"

namespace pygpu {

// True if the values fit the kernel's parameters, or if the library can't tell. False with ValueError set if
// they don't fit.
[[gnu::hot]] bool check_sizes(const LaunchValues &values, const void *function,
                              const ArgumentContext &context);

} // namespace pygpu
