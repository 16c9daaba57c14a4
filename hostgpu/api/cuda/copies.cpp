// CUDA's own forms of copies: runs of bytes in arrays.
#include "api/copies_3d.hpp"
#include "api/cuda/implemented.hpp"
#include "api/cuda/translate.hpp"
#include "api/find.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "device/device.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::cuda {
Status MemcpyToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                          int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    StridedBlock target{};
    const Status status = run_of(to, x, y, count, target);
    if (status != Status::success) return status;
    return transfer(on, target, flat(from), {count, 1, 1}, kind, Return::queued);
}

Status MemcpyFromArrayAsync(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                            int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    StridedBlock source{};
    const Status status = run_of(from, x, y, count, source);
    if (status != Status::success) return status;
    return transfer(on, flat(to), source, {count, 1, 1}, kind, Return::queued);
}

Status MemcpyArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                          std::size_t from_x, std::size_t from_y, std::size_t count, int kind) {
    StridedBlock target{}, source{};
    Status status = run_of(to, to_x, to_y, count, target);
    if (status == Status::success) status = run_of(from, from_x, from_y, count, source);
    if (status != Status::success) return status;
    return transfer(stream_of(nullptr), target, source, {count, 1, 1}, kind, Return::after_host);
}

} // namespace pygpu::host::cuda
