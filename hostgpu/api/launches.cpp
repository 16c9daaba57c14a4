// Launches of kernels.
#include "api/launches.hpp"

#include "api/api.hpp"
#include "api/attributes.hpp"
#include "api/find.hpp"
#include "code/kernels.hpp"

namespace pygpu::host {

Status launch_compiled(const void *function, const Launch &launch, void **arguments) {
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    const auto on = find_stream(launch.stream);
    if (!on) return gone_stream(launch.stream);
    Launch named = launch;
    named.function = function;
    return launch_kernel(*kernel, named, on, {arguments});
}

namespace api {

Status LaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                    StreamTag *stream) {
    return launch_compiled(function, {grid, block, shared, stream}, arguments);
}

Status LaunchCooperativeKernel(const void *function, Dim grid, Dim block, void **arguments,
                               std::size_t shared, StreamTag *stream) {
    return launch_compiled(function, {grid, block, shared, stream, true}, arguments);
}

Status OccupancyMaxActiveBlocksPerMultiprocessor(int *count, const void *function, int threads,
                                                 std::size_t dynamic) {
    return OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, function, threads, dynamic, 0);
}

Status OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, const void *function, int threads,
                                                          std::size_t dynamic, unsigned flags) {
    const auto kernel = kernel_of(function);
    return kernel ? get_max_active_blocks(*kernel, threads, dynamic, flags, count)
                  : Status::invalid_device_function;
}

} // namespace api
} // namespace pygpu::host
