// CUDA's own forms of copies: peers in 3-D, batches, runs of bytes in arrays.
#include "host/cuda/implemented.hpp"

#include "cuda_runtime/enumerators.hpp"
#include "host/api/copies_3d.hpp"
#include "host/api/find.hpp"
#include "host/core/guard.hpp"
#include "host/cuda/translate.hpp"

namespace pygpu::host::cuda {
namespace {

Status copy_3d_peer(const c::cudaMemcpy3DPeerParms *copy, const std::shared_ptr<Stream> &stream,
                    Return when) {
    if (!copy) return Status::invalid_value;
    if (!is_device(copy->srcDevice) || !is_device(copy->dstDevice)) return Status::invalid_device;
    const Copy3D plain{as(copy->srcArray),
                       {copy->srcPos.x, copy->srcPos.y, copy->srcPos.z},
                       as(copy->srcPtr),
                       as(copy->dstArray),
                       {copy->dstPos.x, copy->dstPos.y, copy->dstPos.z},
                       as(copy->dstPtr),
                       as(copy->extent),
                       device_to_device};
    return copy_3d(stream, plain, device_to_device, when);
}

// An operand of a batched 3-D copy, as the plain form has it. Lengths of 0 mean "as the extent".
Status operand(const c::cudaMemcpy3DOperand &given, const c::cudaExtent &extent, ArrayTag *&array,
               Position &at, Pitched &memory) {
    if (given.type == c::cudaMemcpyOperandTypeArray) {
        array = as(given.op.array.array);
        at = {given.op.array.offset.x, given.op.array.offset.y, given.op.array.offset.z};
        return array ? Status::success : Status::invalid_value;
    }
    if (given.type != c::cudaMemcpyOperandTypePointer) return Status::invalid_value;
    const std::size_t row = given.op.ptr.rowLength ? given.op.ptr.rowLength : extent.width;
    const std::size_t rows = given.op.ptr.layerHeight ? given.op.ptr.layerHeight : extent.height;
    memory = {given.op.ptr.ptr, row, extent.width, rows};
    return Status::success;
}

// Neither default stream of an unnamed kind can take a batch.
bool takes_batches(StreamTag *stream) { return stream || thread().per_thread; }

} // namespace

Status Memcpy3DPeer(const c::cudaMemcpy3DPeerParms *copy) {
    if (!copy || !is_device(copy->srcDevice) || !is_device(copy->dstDevice))
        return copy ? Status::invalid_device : Status::invalid_value;
    const auto on = stream_of(nullptr);
    return in_line_with(on, copy->srcDevice, copy->dstDevice,
                        [&] { return copy_3d_peer(copy, on, Return::after_host); });
}

Status Memcpy3DPeerAsync(const c::cudaMemcpy3DPeerParms *copy, StreamTag *stream) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    return copy_3d_peer(copy, on, Return::queued);
}

Status MemcpyBatchAsync(void *const *to, const void *const *from, const std::size_t *sizes, std::size_t count,
                        c::cudaMemcpyAttributes *attributes, std::size_t *indices, std::size_t number,
                        StreamTag *stream) {
    if (!to || !from || !sizes || !count || !attributes || !indices || !number || number > count)
        return Status::invalid_value;
    if (indices[0] != 0) return Status::invalid_value;
    for (std::size_t index = 1; index < number; ++index) {
        if (indices[index] <= indices[index - 1] || indices[index] >= count) return Status::invalid_value;
    }
    for (std::size_t index = 0; index < count; ++index) {
        if (!to[index] || !from[index] || !sizes[index]) return Status::invalid_value;
    }
    if (!takes_batches(stream)) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    for (std::size_t index = 0; index < count; ++index) {
        const Status status = transfer(on, flat(to[index]), flat(from[index]), {sizes[index], 1, 1},
                                       by_address, Return::queued);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status Memcpy3DBatchAsync(std::size_t count, c::cudaMemcpy3DBatchOp *operations, unsigned long long flags,
                          StreamTag *stream) {
    if (!count || !operations || flags) return Status::invalid_value;
    if (!takes_batches(stream)) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    for (std::size_t index = 0; index < count; ++index) {
        const c::cudaMemcpy3DBatchOp &one = operations[index];
        Copy3D plain{};
        plain.extent = as(one.extent);
        plain.kind = by_address;
        Status status = operand(one.src, one.extent, plain.src_array, plain.src_pos, plain.src_ptr);
        if (status == Status::success)
            status = operand(one.dst, one.extent, plain.dst_array, plain.dst_pos, plain.dst_ptr);
        if (status == Status::success) status = copy_3d(on, plain, by_address, Return::queued);
        if (status != Status::success) return status;
    }
    return Status::success;
}

// The bytes of an array as one run; null where they reach beyond it.
static char *run(const ArrayTag *handle, std::size_t x, std::size_t y, std::size_t count) {
    const auto array = find_array(handle);
    if (!array) return nullptr;
    const Size all = array->size();
    const std::size_t total = all.width * all.height, first = y * all.width + x;
    return first > total || count > total - first ? nullptr : array->memory->base + first;
}

Status MemcpyToArrayAsync(ArrayTag *to, std::size_t x, std::size_t y, const void *from, std::size_t count,
                          int kind, StreamTag *stream) {
    char *target = run(to, x, y, count);
    return target ? MemcpyAsync(target, from, count, kind, stream) : Status::invalid_value;
}

Status MemcpyFromArrayAsync(void *to, const ArrayTag *from, std::size_t x, std::size_t y, std::size_t count,
                            int kind, StreamTag *stream) {
    const char *source = run(from, x, y, count);
    return source ? MemcpyAsync(to, source, count, kind, stream) : Status::invalid_value;
}

Status MemcpyArrayToArray(ArrayTag *to, std::size_t to_x, std::size_t to_y, const ArrayTag *from,
                          std::size_t from_x, std::size_t from_y, std::size_t count, int kind) {
    char *target = run(to, to_x, to_y, count);
    const char *source = run(from, from_x, from_y, count);
    return target && source ? Memcpy(target, source, count, kind) : Status::invalid_value;
}

} // namespace pygpu::host::cuda
