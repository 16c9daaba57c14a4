// Batches: copies, prefetches and discards in one call; and the copies that take a batch's attributes.
#include "api/batches.hpp"

#include "api/api.hpp"
#include "api/copies_3d.hpp"
#include "api/find.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "memory/backing.hpp"

#include <algorithm>

namespace pygpu::host::api {
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

bool is_order(const CopyAttributes &attributes) {
    return attributes.order >= in_stream_order && attributes.order <= in_any_order;
}

// The unit of lengths, in bytes: an element of the array where an end is an array, else 1.
std::size_t element_of(const BatchCopy3D &operation) {
    for (const BatchCopy3D::End &end : {operation.src, operation.dst}) {
        if (end.type != BatchCopy3D::array) continue;
        if (const auto array = find_array(end.image.array)) return array->element;
    }
    return 1;
}

// Converts an operand of a batched 3-D copy to the plain form. Lengths of 0 mean the extent's.
Status operand(const BatchCopy3D::End &end, const Extent &extent, std::size_t element, ArrayTag *&array,
               Position &at, Pitched &memory) {
    if (end.type == BatchCopy3D::array) {
        array = end.image.array;
        at = end.image.offset;
        return array ? Status::success : Status::invalid_value;
    }
    if (end.type != BatchCopy3D::pointer) return Status::invalid_value;
    const std::size_t row = end.memory.row ? end.memory.row : extent.width;
    const std::size_t rows = end.memory.rows ? end.memory.rows : extent.height;
    memory = {end.memory.base, (CheckedInt(row) * element).saturated(), extent.width, rows};
    return Status::success;
}

Status copy_ends(const std::shared_ptr<Stream> &on, const BatchCopy3D &operation) {
    Copy3D plain{};
    plain.extent = operation.extent;
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
Status discard_piece(const std::shared_ptr<Stream> &on, void *piece, std::size_t size) {
    const Memory memory = memory_at(piece);
    if (!memory || memory->kind != MemoryKind::managed || !memory->contains(piece, size))
        return Status::invalid_value;
    if (!settings().strict) return Status::success;
    return set(on, flat(piece), {size, 1, 1}, freed_pattern, 1, Return::queued);
}

} // namespace

Status MemcpyBatchAsync(void *const *to, const void *const *from, const std::size_t *sizes, std::size_t count,
                        const CopyAttributes *attributes, const std::size_t *indices, std::size_t number,
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

Status Memcpy3DBatchAsync(std::size_t count, const BatchCopy3D *operations, unsigned long long flags,
                          StreamTag *stream) {
    if (!count || !operations || flags) return Status::invalid_value;
    if (!takes_batches(stream)) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    for (std::size_t index = 0; index < count; ++index) {
        const Status status = copy_ends(on, operations[index]);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemcpyWithAttributesAsync(void *to, const void *from, std::size_t count,
                                 const CopyAttributes *attributes, StreamTag *stream) {
    if (!attributes || !is_order(*attributes) || !takes_batches(stream)) return Status::invalid_value;
    return MemcpyAsync(to, from, count, by_address, stream);
}

Status MemPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count, Location *locations,
                             const std::size_t *indices, std::size_t number, unsigned long long flags,
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
        const Status status = discard_piece(on, pieces[index], sizes[index]);
        if (status != Status::success) return status;
    }
    return Status::success;
}

Status MemDiscardAndPrefetchBatchAsync(void **pieces, std::size_t *sizes, std::size_t count,
                                       Location *locations, const std::size_t *indices, std::size_t number,
                                       unsigned long long flags, StreamTag *stream) {
    if (flags || !locations || !are_parts(indices, number, count)) return Status::invalid_value;
    const Status status = MemDiscardBatchAsync(pieces, sizes, count, flags, stream);
    if (status != Status::success) return status;
    return MemPrefetchBatchAsync(pieces, sizes, count, locations, indices, number, flags, stream);
}

} // namespace pygpu::host::api
