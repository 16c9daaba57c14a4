// What HIP's streams say of captures: nothing is ever captured.
#include "host/hip/implemented.hpp"

#include "host/api/find.hpp"

namespace pygpu::host::hip {

Status StreamGetCaptureInfo(StreamTag *stream, int *status, unsigned long long *id) {
    return StreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

Status StreamGetCaptureInfo_v2(StreamTag *stream, int *status, unsigned long long *id, c::hipGraph_t *graph,
                               const c::hipGraphNode_t **dependencies, std::size_t *count) {
    if (!status) return Status::invalid_value;
    if (!find_stream(stream)) return gone_stream(stream);
    *status = 0;
    if (id) *id = 0;
    if (graph) *graph = nullptr;
    if (dependencies) *dependencies = nullptr;
    if (count) *count = 0;
    return Status::success;
}

} // namespace pygpu::host::hip
