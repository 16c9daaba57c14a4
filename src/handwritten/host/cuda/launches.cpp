// CUDA's launch by a struct, and what its runtime tells of kernels.
#include "host/cuda/implemented.hpp"

#include "host/core/kernels.hpp"
#include "host/cuda/translate.hpp"

namespace pygpu::host::cuda {

// Of the attributes, which say how a GPU is to run it, one counts here: whether the blocks wait for each
// other.
Status LaunchKernelExC(const c::cudaLaunchConfig_t *config, const void *function, void **arguments) {
    if (!config || (config->numAttrs && !config->attrs)) return Status::invalid_value;
    constexpr int cooperative = 2; // cudaLaunchAttributeCooperative
    for (unsigned index = 0; index < config->numAttrs; ++index) {
        const auto &one = config->attrs[index];
        if (one.id == static_cast<decltype(one.id)>(cooperative) && one.val.cooperative)
            return LaunchCooperativeKernel(function, as(config->gridDim), as(config->blockDim), arguments,
                                           config->dynamicSmemBytes, as(config->stream));
    }
    return LaunchKernel(function, as(config->gridDim), as(config->blockDim), arguments,
                        config->dynamicSmemBytes, as(config->stream));
}

Status FuncGetParamInfo(const void *function, std::size_t index, std::size_t *offset, std::size_t *size) {
    if (!offset) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    return kernel ? tell_parameter(*kernel, index, offset, size) : Status::invalid_device_function;
}

Status FuncGetParamCount(const void *function, std::size_t *count) {
    if (!count) return Status::invalid_value;
    const auto kernel = kernel_of(function);
    if (!kernel) return Status::invalid_device_function;
    if (!kernel->parameters) return Status::not_supported;
    *count = kernel->parameters->size();
    return Status::success;
}

} // namespace pygpu::host::cuda
