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

// What a captured launch was asked to do: its values lie at the offsets of the parameters, in memory that
// `storage` keeps.
void describe(Work &work, const Stream &stream, const Kernel &kernel, const Launch &launch,
              const Arguments &arguments, const Signature &parameters, char *values,
              std::shared_ptr<const void> storage);

// On a thread that runs a registered function: PTX's types of its parameters, "u64 f32 b8[12]". Else null.
const char *types_of_arguments();

} // namespace pygpu::host
