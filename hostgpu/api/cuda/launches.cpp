// CUDA's launch by a struct, and what its runtime reports of kernels.
#include "api/cuda/implemented.hpp"

#include "api/attributes.hpp"
#include "api/cuda/translate.hpp"
#include "api/launches.hpp"
#include "code/kernels.hpp"
#include "code/modules.hpp"
#include "device/device.hpp"

namespace pygpu::host::cuda {

namespace {

// With the attributes that count here; false where it can't be one.
bool read_config(const c::cudaLaunchConfig_t *config, Launch &launch) {
    if (!config || (config->numAttrs && !config->attrs)) return false;
    launch = {as(config->gridDim), as(config->blockDim), config->dynamicSmemBytes, as(config->stream)};
    for (unsigned index = 0; index < config->numAttrs; ++index)
        note_attribute(static_cast<int>(config->attrs[index].id), config->attrs[index].val, launch);
    return true;
}

} // namespace

Status GetKernel(FunctionTag **kernel, const void *function) {
    if (!kernel) return Status::invalid_value;
    const auto object = function_behind(function);
    if (!object) return Status::invalid_device_function;
    void *const handle = object->kernel_handle ? object->kernel_handle : object->handle;
    *kernel = static_cast<FunctionTag *>(handle);
    return Status::success;
}

Status FuncGetName(const char **name, const void *function) {
    if (!name) return Status::invalid_value;
    const auto object = function_behind(function);
    if (!object) return Status::invalid_device_function;
    *name = object->kernel.name.c_str();
    return Status::success;
}

Status LaunchKernelExC(const c::cudaLaunchConfig_t *config, const void *function, void **arguments) {
    Launch launch{};
    return read_config(config, launch) ? launch_compiled(function, launch, {arguments})
                                       : Status::invalid_value;
}

Status OccupancyMaxActiveClusters(int *count, const void *function, const c::cudaLaunchConfig_t *config) {
    Launch launch{};
    if (!read_config(config, launch)) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    return kernel ? get_max_active_clusters(*kernel, launch, count) : Status::invalid_device_function;
}

Status OccupancyMaxPotentialClusterSize(int *size, const void *function,
                                        const c::cudaLaunchConfig_t *config) {
    Launch launch{};
    if (!read_config(config, launch)) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    return kernel ? get_max_cluster_size(*kernel, launch, size) : Status::invalid_device_function;
}

Status FuncGetParamInfo(const void *function, std::size_t index, std::size_t *offset, std::size_t *size) {
    if (!offset) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    return kernel ? get_parameter_info(*kernel, index, offset, size) : Status::invalid_device_function;
}

Status FuncGetParamCount(const void *function, std::size_t *count) {
    if (!count) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    if (!kernel->parameters) return Status::not_supported;
    *count = kernel->parameters->size();
    return Status::success;
}

Status FuncGetAttributes(c::cudaFuncAttributes *attributes, const void *function) {
    if (!attributes) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    get_all_attributes(*kernel, *attributes);
    return Status::success;
}

Status KernelSetAttributeForDevice(FunctionTag *kernel, int attribute, int value, int device) {
    return is_device(device) ? FuncSetAttribute(kernel, attribute, value) : Status::invalid_device;
}

Status OccupancyAvailableDynamicSMemPerBlock(std::size_t *size, const void *function, int blocks,
                                             int threads) {
    const auto kernel = kernel_of(function);
    return kernel ? get_available_shared(*kernel, blocks, threads, size) : Status::invalid_device_function;
}

} // namespace pygpu::host::cuda
