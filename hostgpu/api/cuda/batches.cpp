// CUDA's batches: copies, prefetches and discards in one call; and the copies that take a batch's attributes.
#include "api/copies_3d.hpp"
#include "api/cuda/implemented.hpp"
#include "api/cuda/translate.hpp"
#include "api/find.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "memory/backing.hpp"

#include <algorithm>

namespace pygpu::host::cuda {
namespace {

// A null stream takes no batch, unless it means the thread's own default stream.
bool takes_batches(StreamTag *stream) { return stream || thread().per_thread; }

// Whether each of `number` indices says where a part of `count` pieces starts.
bool are_parts(const std::size_t *indices, std::size_t number, std::size_t count) {
    if (!indices || !number || number > count || indices[0] != 0) return false;
    for (std::size_t index = 1; index < number; ++index) {
        if (indices[index] <= indices[index - 1] || indices[index] >= count) return false;
    }
    return true;
}

bool are_pieces(const void *const *pieces, const std::size_t *sizes, std::size_t count) {
    if (!pieces || !sizes || !count) return false;
    for (std::size_t index = 0; index < count; ++index) {
        if (!pieces[index] || !sizes[index]) return false;
    }
    return true;
}

bool is_order(const c::cudaMemcpyAttributes &attributes) {
    return attributes.srcAccessOrder >= c::cudaMemcpySrcAccessOrderStream &&
           attributes.srcAccessOrder <= c::cudaMemcpySrcAccessOrderAny;
}

// The unit of lengths, in bytes: an element of the array where an end is an array, else 1.
std::size_t element_of(const c::cudaMemcpy3DBatchOp &operation) {
    for (const c::cudaMemcpy3DOperand &end : {operation.src, operation.dst}) {
        if (end.type != c::cudaMemcpyOperandTypeArray) continue;
        if (const auto array = find_array(as(end.op.array.array))) return array->element;
    }
    return 1;
}

// Converts an operand of a batched 3-D copy to the plain form. Lengths of 0 mean the extent's.
Status operand(const c::cudaMemcpy3DOperand &source, const c::cudaExtent &extent, std::size_t element,
               ArrayTag *&array, Position &at, Pitched &memory) {
    if (source.type == c::cudaMemcpyOperandTypeArray) {
        array = as(source.op.array.array);
        at = {source.op.array.offset.x, source.op.array.offset.y, source.op.array.offset.z};
        return array ? Status::success : Status::invalid_value;
    }
    if (source.type != c::cudaMemcpyOperandTypePointer) return Status::invalid_value;
    const std::size_t row = source.op.ptr.rowLength ? source.op.ptr.rowLength : extent.width;
    const std::size_t rows = source.op.ptr.layerHeight ? source.op.ptr.layerHeight : extent.height;
    memory = {source.op.ptr.ptr, (CheckedInt(row) * element).saturated(), extent.width, rows};
    return Status::success;
}

Status copy_operands(const std::shared_ptr<Stream> &on, const c::cudaMemcpy3DBatchOp &operation) {
    Copy3D plain{};
    plain.extent = as(operation.extent);
    plain.kind = by_address;
    const std::size_t element = element_of(operation);
    Status status =
        operand(operation.src, operation.extent, element, plain.src_array, plain.src_pos, plain.src_ptr);
    if (status == Status::success)
        status =
            operand(operation.dst, operation.extent, element, plain.dst_array, plain.dst_pos, plain.dst_ptr);
    return status == Status::success ? copy_3d(on, plain, by_address, Return::queued) : status;
}

// All memory is the host's, so there is nothing to do. Strict mode overwrites the bytes, since programs can't
// rely on them any more.
Status discard(const std::shared_ptr<Stream> &on, void *piece, std::size_t size) {
    const Memory memory = memory_at(piece);
    if (!memory || memory->kind != MemoryKind::managed || !memory->contains(piece, size))
        return Status::invalid_value;
    if (!settings().strict) return Status::success;
    return set(on, flat(piece), {size, 1, 1}, freed_pattern, 1, Return::queued);
}

} // namespace

Status MemcpyBatchAsync(void *const *to, const void *const *from, const std::size_t *sizes, std::size_t count,
                        c::cudaMemcpyAttributes *attributes, std::size_t *indices, std::size_t number,
                        StreamTag *stream) {
    if (!attributes || !are_parts(indices, number, count)) return Status::invalid_value;
    if (!std::all_of(attributes, attributes + number, is_order)) return Status::invalid_value;
    if (!are_pieces(to, sizes, count) || !are_pieces(from, sizes, count)) return Status::invalid_value;
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
        const Status status = copy_operands(on, operations[index]);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemcpyWithAttributesAsync(void *to, const void *from, std::size_t count,
                                 c::cudaMemcpyAttributes *attributes, StreamTag *stream) {
    if (!attributes || !is_order(*attributes) || !takes_batches(stream)) return Status::invalid_value;
    return MemcpyAsync(to, from, count, by_address, stream);
}

Status MemPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, Location *locations,
                             std::size_t *indices, std::size_t number, unsigned long long flags,
                             StreamTag *stream) {
    if (flags || !locations || !are_parts(indices, number, count)) return Status::invalid_value;
    if (!are_pieces(pieces, sizes, count) || !takes_batches(stream)) return Status::invalid_value;
    for (std::size_t index = 0, part = 0; index < count; ++index) {
        if (part + 1 < number && index == indices[part + 1]) ++part;
        const Status status = prefetch(pieces[index], sizes[index], locations[part], stream);
        if (status == Status::invalid_device) return Status::invalid_value;
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemDiscardBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, unsigned long long flags,
                            StreamTag *stream) {
    if (flags || !are_pieces(pieces, sizes, count) || !takes_batches(stream)) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    for (std::size_t index = 0; index < count; ++index) {
        const Status status = discard(on, pieces[index], sizes[index]);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemDiscardAndPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count,
                                       Location *locations, std::size_t *indices, std::size_t number,
                                       unsigned long long flags, StreamTag *stream) {
    if (flags || !locations || !are_parts(indices, number, count)) return Status::invalid_value;
    const Status status = MemDiscardBatchAsync(pieces, sizes, count, flags, stream);
    if (status != Status::success) return status;
    return MemPrefetchBatchAsync(pieces, sizes, count, locations, indices, number, flags, stream);
}

} // namespace pygpu::host::cuda
