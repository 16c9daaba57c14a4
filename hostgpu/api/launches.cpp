// Launches of kernels.
#include "api/launches.hpp"

#include "api/api.hpp"
#include "api/attributes.hpp"
#include "api/find.hpp"
#include "code/kernels.hpp"
#include "code/modules.hpp"

namespace pygpu::host {

Status launch_compiled(const void *function, const Launch &launch, const Arguments &arguments) {
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    const auto on = find_stream(launch.stream);
    if (!on) return gone_stream(launch.stream);
    Launch named = launch;
    named.function = function;
    return launch_kernel(*kernel, named, on, arguments);
}

namespace api {

Status LaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                    StreamTag *stream) {
    return launch_compiled(function, {grid, block, shared, stream}, {arguments});
}

Status LaunchCooperativeKernel(const void *function, Dim grid, Dim block, void **arguments,
                               std::size_t shared, StreamTag *stream) {
    return launch_compiled(function, {grid, block, shared, stream, true}, {arguments});
}

Status GetFuncBySymbol(FunctionTag **function, const void *symbol) {
    const auto object = function_behind(symbol);
    if (!object) return Status::invalid_device_function;
    if (!function) return Status::invalid_value;
    *function = static_cast<FunctionTag *>(object->handle);
    return Status::success;
}

Status FuncSetAttribute(const void *function, int attribute, int value) {
    const auto kernel = kernel_of(function);
    return kernel ? set_attribute(*kernel, attribute, value) : Status::invalid_device_function;
}

// There is no cache to configure.
Status FuncSetCacheConfig(const void *function, int config) {
    if (config < 0 || config > 3) return Status::invalid_value;
    return kernel_of(function) ? Status::success : Status::invalid_device_function;
}

// There are no banks to configure.
Status FuncSetSharedMemConfig(const void *function, int config) {
    if (config < 0 || config > 2) return Status::invalid_value;
    return kernel_of(function) ? Status::success : Status::invalid_device_function;
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
