// Variables of a compiled program's device code. The host code names them by variables of its own.
#include "api/cuda/implemented.hpp"
#include "api/cuda/translate.hpp"
#include "api/find.hpp"
#include "api/transfer.hpp"
#include "code/kernels.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::cuda {
namespace {

// The piece of a variable that a copy names.
Status piece_of(const void *symbol, std::size_t count, std::size_t offset, StridedBlock &piece) {
    Memory memory;
    std::size_t size = 0;
    if (!symbol || !variable_of(symbol, memory, size)) return Status::invalid_symbol;
    if (offset > size || count > size - offset) return Status::invalid_value;
    piece = flat(memory->base + offset);
    return Status::success;
}

Status copy_to(const std::shared_ptr<Stream> &on, const void *symbol, const void *from, std::size_t count,
               std::size_t offset, int kind, Return when) {
    StridedBlock piece;
    const Status status = piece_of(symbol, count, offset, piece);
    if (status != Status::success) return status;
    if (kind != host_to_device && kind != device_to_device && kind != by_address)
        return Status::invalid_memcpy_direction;
    return transfer(on, piece, flat(from), {count, 1, 1}, kind, when);
}

Status copy_from(const std::shared_ptr<Stream> &on, void *to, const void *symbol, std::size_t count,
                 std::size_t offset, int kind, Return when) {
    StridedBlock piece;
    const Status status = piece_of(symbol, count, offset, piece);
    if (status != Status::success) return status;
    if (kind != device_to_host && kind != device_to_device && kind != by_address)
        return Status::invalid_memcpy_direction;
    return transfer(on, flat(to), piece, {count, 1, 1}, kind, when);
}

} // namespace

Status MemcpyToSymbol(const void *symbol, const void *from, std::size_t count, std::size_t offset, int kind) {
    return copy_to(stream_of(nullptr), symbol, from, count, offset, kind, Return::after_host);
}

Status MemcpyToSymbolAsync(const void *symbol, const void *from, std::size_t count, std::size_t offset,
                           int kind, StreamTag *stream) {
    const auto on = find_stream(stream);
    return on ? copy_to(on, symbol, from, count, offset, kind, Return::queued) : gone_stream(stream);
}

Status MemcpyFromSymbol(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind) {
    return copy_from(stream_of(nullptr), to, symbol, count, offset, kind, Return::after_host);
}

Status MemcpyFromSymbolAsync(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind,
                             StreamTag *stream) {
    const auto on = find_stream(stream);
    return on ? copy_from(on, to, symbol, count, offset, kind, Return::queued) : gone_stream(stream);
}

Status GetSymbolAddress(void **pointer, const void *symbol) {
    if (!pointer) return Status::invalid_value;
    StridedBlock piece;
    const Status status = piece_of(symbol, 0, 0, piece);
    if (status == Status::success) *pointer = piece.base;
    return status;
}

Status GetSymbolSize(std::size_t *size, const void *symbol) {
    if (!size) return Status::invalid_value;
    Memory memory;
    return symbol && variable_of(symbol, memory, *size) ? Status::success : Status::invalid_symbol;
}

} // namespace pygpu::host::cuda
