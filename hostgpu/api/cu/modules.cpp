// What the driver API's modules, libraries and kernels have in a form of their own.
#include "api/cu/implemented.hpp"

#include "api/attributes.hpp"
#include "api/cu/translate.hpp"
#include "api/launches.hpp"
#include "code/modules.hpp"
#include "cuda_driver/enumerators.hpp"
#include "device/device.hpp"

namespace pygpu::host::cu {
// Code is read when it is loaded.
Status ModuleGetLoadingMode(int *mode) {
    if (!mode) return Status::invalid_value;
    *mode = static_cast<int>(c::CU_MODULE_EAGER_LOADING);
    return Status::success;
}

// There is one function of a kernel, for all contexts.
Status KernelGetFunction(FunctionTag **function, FunctionTag *kernel) {
    if (!function) return Status::invalid_value;
    const auto object = functions().find(kernel);
    if (!object) return Status::invalid_resource_handle;
    *function = static_cast<FunctionTag *>(object->handle);
    return Status::success;
}

Status KernelGetLibrary(LibraryTag **library, FunctionTag *kernel) {
    if (!library) return Status::invalid_value;
    const auto function = functions().find(kernel);
    const auto its = function ? function->module.lock() : nullptr;
    if (!its || !its->library) return Status::invalid_resource_handle;
    *library = static_cast<LibraryTag *>(its->library);
    return Status::success;
}

Status KernelGetAttribute(int *value, int attribute, FunctionTag *kernel, int device) {
    return is_device(device) ? FuncGetAttribute(value, attribute, kernel) : Status::invalid_device;
}

Status KernelSetAttribute(int attribute, int value, FunctionTag *kernel, int device) {
    return is_device(device) ? FuncSetAttribute(kernel, attribute, value) : Status::invalid_device;
}

Status FuncIsLoaded(int *state, FunctionTag *function) {
    if (!state) return Status::invalid_value;
    if (!functions().find(function)) return Status::invalid_resource_handle;
    *state = static_cast<int>(c::CU_FUNCTION_LOADING_STATE_LOADED);
    return Status::success;
}

Status FuncLoad(FunctionTag *function) {
    return functions().find(function) ? Status::success : Status::invalid_resource_handle;
}

// There are no banks to configure.
Status FuncSetSharedMemConfig(FunctionTag *function, int config) {
    if (config < 0 || config > 2) return Status::invalid_value;
    return FuncLoad(function);
}

// There is no cache to configure.
Status FuncSetCacheConfig(FunctionTag *function, int config) {
    if (config < 0 || config > 3) return Status::invalid_value;
    return FuncLoad(function);
}

Status KernelSetCacheConfig(FunctionTag *kernel, int config, int device) {
    return is_device(device) ? FuncSetCacheConfig(kernel, config) : Status::invalid_device;
}

Status OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, FunctionTag *function, int threads,
                                                          std::size_t dynamic, unsigned flags) {
    const auto object = functions().find(function);
    return object ? get_max_active_blocks(object->kernel, threads, dynamic, flags, count)
                  : Status::invalid_resource_handle;
}

Status OccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, FunctionTag *function,
                                               std::size_t (*dynamic_of)(int), std::size_t dynamic, int limit,
                                               unsigned flags) {
    const auto object = functions().find(function);
    return object ? get_block_size(object->kernel, dynamic_of, dynamic, limit, flags, blocks, threads)
                  : Status::invalid_resource_handle;
}

Status OccupancyAvailableDynamicSMemPerBlock(std::size_t *size, FunctionTag *function, int blocks,
                                             int threads) {
    const auto object = functions().find(function);
    return object ? get_available_shared(object->kernel, blocks, threads, size)
                  : Status::invalid_resource_handle;
}

Status LaunchKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                    unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, StreamTag *stream,
                    void **arguments, void **extra) {
    return of_driver(ModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                                        stream, arguments, extra));
}

Status LaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                               StreamTag *stream, void **arguments) {
    const Dim grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    return of_driver(launch_function(function, {grid, block, shared, stream, true}, arguments, nullptr));
}

namespace {

// With the attributes that count here; false where it can't be one.
bool read_config(const c::CUlaunchConfig *config, Launch &launch) {
    if (!config || (config->numAttrs && !config->attrs)) return false;
    const Dim grid{config->gridDimX, config->gridDimY, config->gridDimZ};
    const Dim block{config->blockDimX, config->blockDimY, config->blockDimZ};
    launch = {grid, block, config->sharedMemBytes, as(config->hStream)};
    for (unsigned index = 0; index < config->numAttrs; ++index)
        note_attribute(static_cast<int>(config->attrs[index].id), config->attrs[index].value, launch);
    return true;
}

} // namespace

Status LaunchKernelEx(const c::CUlaunchConfig *config, FunctionTag *function, void **arguments,
                      void **extra) {
    Launch launch{};
    if (!read_config(config, launch)) return Status::invalid_value;
    return of_driver(launch_function(function, launch, arguments, extra));
}

Status OccupancyMaxActiveClusters(int *count, FunctionTag *function, const c::CUlaunchConfig *config) {
    Launch launch{};
    if (!read_config(config, launch)) return Status::invalid_value;
    const auto object = functions().find(function);
    return object ? get_max_active_clusters(object->kernel, launch, count) : Status::invalid_value;
}

Status OccupancyMaxPotentialClusterSize(int *size, FunctionTag *function, const c::CUlaunchConfig *config) {
    Launch launch{};
    if (!read_config(config, launch)) return Status::invalid_value;
    const auto object = functions().find(function);
    return object ? get_max_cluster_size(object->kernel, launch, size) : Status::invalid_value;
}

} // namespace pygpu::host::cu
