// How many blocks a multiprocessor runs, of a module's functions and of registered ones (hip_platform.cpp).
#include "api/attributes.hpp"
#include "api/hip/implemented.hpp"
#include "code/kernels.hpp"
#include "code/modules.hpp"

#include <memory>

namespace pygpu::host::hip {
namespace {

std::shared_ptr<const Kernel> kernel_of_module(FunctionTag *function) {
    const auto object = functions().find(function);
    return object ? std::shared_ptr<const Kernel>(object, &object->kernel) : nullptr;
}

} // namespace

Status ModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, FunctionTag *function,
                                                                int threads, std::size_t dynamic,
                                                                unsigned flags) {
    const auto kernel = kernel_of_module(function);
    return kernel ? get_max_active_blocks(*kernel, threads, dynamic, flags, count)
                  : Status::invalid_resource_handle;
}

Status ModuleOccupancyMaxPotentialBlockSizeWithFlags(int *blocks, int *threads, FunctionTag *function,
                                                     std::size_t dynamic, int limit, unsigned flags) {
    const auto kernel = kernel_of_module(function);
    return kernel ? get_block_size(*kernel, nullptr, dynamic, limit, flags, blocks, threads)
                  : Status::invalid_resource_handle;
}

Status OccupancyMaxPotentialBlockSize(int *blocks, int *threads, const void *function, std::size_t dynamic,
                                      int limit) {
    const auto kernel = kernel_of(function);
    return kernel ? get_block_size(*kernel, nullptr, dynamic, limit, 0, blocks, threads)
                  : Status::invalid_device_function;
}

} // namespace pygpu::host::hip
