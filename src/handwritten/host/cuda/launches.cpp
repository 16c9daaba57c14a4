// CUDA's launch by a struct.
#include "host/cuda/implemented.hpp"
#include "host/cuda/translate.hpp"

namespace pygpu::host::cuda {

// Attributes say how a GPU is to run it: nothing that counts here.
Status LaunchKernelExC(const c::cudaLaunchConfig_t *config, const void *function, void **arguments) {
    if (!config || (config->numAttrs && !config->attrs)) return Status::invalid_value;
    return LaunchKernel(function, as(config->gridDim), as(config->blockDim), arguments,
                        config->dynamicSmemBytes, as(config->stream));
}

} // namespace pygpu::host::cuda
