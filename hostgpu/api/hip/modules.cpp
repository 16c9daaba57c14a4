// What HIP's modules have in a form of their own.
#include "api/hip/implemented.hpp"

namespace pygpu::host::hip {

Status ModuleLaunchCooperativeKernel(FunctionTag *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     StreamTag *stream, void **arguments) {
    const Dim grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    return launch_function(function, {grid, block, shared, stream, true}, arguments, nullptr);
}

// AMD's runtime ignores the options, too.
Status LibraryLoadData(LibraryTag **library, const void *code, int **, void **, unsigned, int **, void **,
                       unsigned) {
    return api::LibraryLoadData(library, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

Status LibraryLoadFromFile(LibraryTag **library, const char *path, int **, void **, unsigned, int **, void **,
                           unsigned) {
    return api::LibraryLoadFromFile(library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

} // namespace pygpu::host::hip
