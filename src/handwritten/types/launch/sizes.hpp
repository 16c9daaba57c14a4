// The sizes of a kernel's parameters, where the library can tell.
#pragma once

#include "binding/argument_context.hpp"
#include "types/launch/values.hpp"

namespace pygpu {

// Whether the values fit the kernel's parameters, or the library can't tell. ValueError where they don't.
[[gnu::hot]] bool check_sizes(const LaunchValues &values, const void *function,
                              const ArgumentContext &context);

} // namespace pygpu
