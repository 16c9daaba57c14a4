// Launches of kernels.
#include "host/api/api.hpp"
#include "host/api/find.hpp"

#include "host/core/kernels.hpp"

namespace pygpu::host::api {

Status LaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                    StreamTag *stream) {
    const Kernel *kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    if (!find_stream(stream)) return gone_stream(stream);
    return run(*kernel, {grid, block, shared, stream}, arguments);
}

} // namespace pygpu::host::api
