// HIP's launches by a struct, with events, and on several devices: hipamd/src/hip_module.cpp of ROCm/clr.
#include "api/hip/implemented.hpp"

#include "api/attributes.hpp"
#include "api/find.hpp"
#include "api/hip/translate.hpp"
#include "api/launches.hpp"
#include "code/kernels.hpp"
#include "code/modules.hpp"

#include <vector>

namespace pygpu::host::hip {
namespace {

constexpr int cooperative_attribute = 2;

template <class Config> bool is_cooperative(const Config &config) {
    bool cooperative = false;
    for (unsigned index = 0; index < config.numAttrs; ++index) {
        const c::hipLaunchAttribute_st &one = config.attrs[index];
        if (static_cast<int>(one.id) == cooperative_attribute) cooperative = one.val.cooperative != 0;
    }
    return cooperative;
}

template <class Config> bool is_complete(const Config *config) {
    return config && (!config->numAttrs || config->attrs);
}

// Records both events around the launch.
template <class Body> Status between(EventTag *start, EventTag *stop, StreamTag *stream, Body launch) {
    if (start && !find_event(start)) return gone_event(start);
    if (stop && !find_event(stop)) return gone_event(stop);
    Status status = start ? EventRecord(start, stream) : Status::success;
    if (status == Status::success) status = launch();
    return status == Status::success && stop ? EventRecord(stop, stream) : status;
}

// ihipLaunchCooperativeKernelMultiDevice()
Status launch_all(const c::hipLaunchParams_t *list, int count, unsigned flags, bool cooperative) {
    constexpr unsigned known_flags = 3;
    if (!list || count <= 0 || count > device_count() || flags & ~known_flags) return Status::invalid_value;
    std::vector<DeviceLaunch> launches;
    for (int index = 0; index < count; ++index) {
        const c::hipLaunchParams_t &one = list[index];
        auto kernel = kernel_of(one.func);
        if (!kernel) return Status::invalid_device_function;
        const Launch launch{as(one.gridDim), as(one.blockDim), one.sharedMem, as(one.stream), cooperative};
        launches.push_back({std::move(kernel), launch, one.args});
    }
    return launch_on_devices(launches, flags);
}

} // namespace

Status FuncGetAttributes(c::hipFuncAttributes *attributes, const void *function) {
    if (!attributes) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    get_all_attributes(*kernel, *attributes);
    return Status::success;
}

Status LaunchKernelExC(const c::hipLaunchConfig_t *config, const void *function, void **arguments) {
    if (!is_complete(config)) return Status::invalid_value;
    return launch_compiled(function,
                           {as(config->gridDim), as(config->blockDim), config->dynamicSmemBytes,
                            as(config->stream), is_cooperative(*config)},
                           {arguments});
}

Status DrvLaunchKernelEx(const c::HIP_LAUNCH_CONFIG *config, FunctionTag *function, void **arguments,
                         void **extra) {
    if (!is_complete(config)) return Status::invalid_value;
    const Dim grid{config->gridDimX, config->gridDimY, config->gridDimZ};
    const Dim block{config->blockDimX, config->blockDimY, config->blockDimZ};
    return launch_function(
        function, {grid, block, config->sharedMemBytes, as(config->hStream), is_cooperative(*config)},
        arguments, extra);
}

// The flag lets AMD's runtime overtake earlier work; it needn't.
Status ExtLaunchKernel(const void *function, Dim grid, Dim block, void **arguments, std::size_t shared,
                       StreamTag *stream, EventTag *start, EventTag *stop, int flags) {
    constexpr int any_order = 1;
    if (flags & ~any_order) return Status::invalid_value;
    return between(start, stop, stream,
                   [&] { return launch_compiled(function, {grid, block, shared, stream}, {arguments}); });
}

Status ExtLaunchMultiKernelMultiDevice(c::hipLaunchParams_t *list, int count, unsigned flags) {
    return launch_all(list, count, flags, false);
}

Status LaunchCooperativeKernelMultiDevice(c::hipLaunchParams_t *list, int count, unsigned flags) {
    return launch_all(list, count, flags, true);
}

Status ModuleLaunchCooperativeKernelMultiDevice(c::hipFunctionLaunchParams_t *list, unsigned count,
                                                unsigned flags) {
    if (count > static_cast<unsigned>(device_count())) return Status::invalid_value;
    return launch_functions_on_devices(list, count, flags, [](auto stream) { return as(stream); });
}

} // namespace pygpu::host::hip
