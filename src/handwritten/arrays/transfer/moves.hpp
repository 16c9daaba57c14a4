// Copies, fills and casts within one device's memory by kernels (move_plan.hpp), and on the host runtime by
// the CPU.
#pragma once

#include "arrays/transfer/engine.hpp"
#include "arrays/transfer/move_plan.hpp"

#include <optional>
#include <span>

namespace pygpu::arrays {

// Queue a copy or fill on the job's stream. The axes are normalised (rectangles.hpp). Return the status; none
// if a kernel can't be planned, loaded or launched, or the job has other memory, too: then the runtime's own
// copies have to do all of it.
std::optional<int> copy_by_kernel(Job &job, char *to, const char *from, const Axes &axes);
// Whether a kernel can copy between memory of the device, on the side `to` or the other one, and packed
// memory.
bool has_kernel_for(Job &job, const char *device, bool to, const Axes &axes);
std::optional<int> join_by_kernel(Job &job, std::span<const Part> parts); // at most MoveParts::most
std::optional<int> fill_by_kernel(Job &job, char *to, const Axes &axes, const char *pattern,
                                  ssize_t itemsize);
std::optional<int> cast_by_kernel(Job &job, char *to, const char *from, const Axes &axes, const Cast &cast);

} // namespace pygpu::arrays
