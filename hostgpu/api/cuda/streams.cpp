// What only CUDA's streams have.
#include "api/cuda/implemented.hpp"

namespace pygpu::host::cuda {

Status LaunchHostFunc_v2(StreamTag *stream, void (*function)(void *), void *data, unsigned how) {
    return how > 1 ? Status::invalid_value
                   : LaunchHostFunc(stream, function, data); // how it waits makes no difference here
}

} // namespace pygpu::host::cuda
