// What a launch of a kernel leaves in the node that it becomes.
#pragma once

#include "code/kernel.hpp"
#include "streams/stream.hpp"

#include <memory>

namespace pygpu::host {

// What a captured launch was asked to do: its values lie at the offsets of the parameters, in memory that
// `storage` keeps.
void describe(Work &work, const Stream &stream, const Kernel &kernel, const Launch &launch,
              const Arguments &arguments, const Signature &parameters, char *values,
              std::shared_ptr<const void> storage);

} // namespace pygpu::host
