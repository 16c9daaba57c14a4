// Launches of kernels.
#include "host/api/api.hpp"
#include "host/api/find.hpp"

#include "host/core/kernels.hpp"

namespace pygpu::host::api {

Status LaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                    StreamTag *stream) {
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return launch_kernel(*kernel, {grid, block, shared, stream}, on, {arguments});
}

Status LaunchCooperativeKernel(const void *function, Dim grid, Dim block, void **arguments,
                               std::size_t shared, StreamTag *stream) {
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return launch_kernel(*kernel, {grid, block, shared, stream, true}, on, {arguments});
}

} // namespace pygpu::host::api
