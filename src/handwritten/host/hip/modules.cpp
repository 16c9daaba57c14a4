// What HIP's modules have in a form of their own.
#include "host/hip/implemented.hpp"

namespace pygpu::host::hip {

Status ModuleLaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     StreamTag *stream, void **arguments) {
    return ModuleLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                              arguments, nullptr);
}

} // namespace pygpu::host::hip
