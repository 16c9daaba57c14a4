// Launches: the arguments are copied, then the function that is registered for the kernel runs in the
// stream's order.
#pragma once

#include "base/status.hpp"
#include "code/kernel.hpp"
#include "streams/stream.hpp"

namespace pygpu::host {

// Queues the function that is registered for the kernel, else the kernel's PTX. With neither it returns an
// error and writes a line to stderr.
Status launch_kernel(const Kernel &kernel, const Launch &launch, const std::shared_ptr<Stream> &stream,
                     const Arguments &arguments);

// On a thread that runs a registered function: PTX's types of its parameters, "u64 f32 b8[12]". Else null.
const char *types_of_arguments();

} // namespace pygpu::host
