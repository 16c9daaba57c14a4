// What HIP's modules have in a form of their own.
#include "api/hip/implemented.hpp"

namespace pygpu::host::hip {

Status ModuleLaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     StreamTag *stream, void **arguments) {
    const Dim grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    return launch_function(function, {grid, block, shared, stream, true}, arguments, nullptr);
}

} // namespace pygpu::host::hip
