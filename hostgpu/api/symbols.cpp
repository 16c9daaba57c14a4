// Variables of a compiled program's device code, copies to and from them, and nodes that copy so. The host
// code names them by variables of its own.
#include "api/find.hpp"
#include "api/graphs.hpp"
#include "api/modules.hpp"
#include "api/nodes.hpp"
#include "api/transfer.hpp"
#include "base/call.hpp"
#include "code/kernels.hpp"
#include "streams/by_handle.hpp"

namespace pygpu::host::api {
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

// HIP looks at the kind first, and knows no copies by addresses alone; where an end is known memory its kind
// doesn't count further (hipMemcpyToSymbol_common() and ihipMemcpy() of ROCm/clr).
Status check(const void *symbol, std::size_t count, std::size_t offset, int kind, CopyKind with_host,
             StridedBlock &piece) {
    constexpr int without_compute_units = 1024; // hipMemcpyDeviceToDeviceNoCU
    const bool fits = kind == with_host || kind == device_to_device ||
                      kind == (on_hip() ? without_compute_units : static_cast<int>(by_address));
    if (!fits && on_hip()) return Status::invalid_memcpy_direction;
    const Status status = piece_of(symbol, count, offset, piece);
    return status == Status::success && !fits ? Status::invalid_memcpy_direction : status;
}

int counting(int kind) { return on_hip() ? by_address : kind; }

Status copy_to(const std::shared_ptr<Stream> &on, const void *symbol, const void *from, std::size_t count,
               std::size_t offset, int kind, Return when) {
    StridedBlock piece;
    const Status status = check(symbol, count, offset, kind, host_to_device, piece);
    if (status != Status::success) return status;
    return transfer(on, piece, flat(from), {count, 1, 1}, counting(kind), when, kind);
}

Status copy_from(const std::shared_ptr<Stream> &on, void *to, const void *symbol, std::size_t count,
                 std::size_t offset, int kind, Return when) {
    StridedBlock piece;
    const Status status = check(symbol, count, offset, kind, device_to_host, piece);
    if (status != Status::success) return status;
    return transfer(on, flat(to), piece, {count, 1, 1}, counting(kind), when, kind);
}

auto copying_to(const void *symbol, const void *from, std::size_t count, std::size_t offset, int kind) {
    return [=](const std::shared_ptr<Stream> &stream) {
        return copy_to(stream, symbol, from, count, offset, kind, Return::queued);
    };
}

auto copying_from(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind) {
    return [=](const std::shared_ptr<Stream> &stream) {
        return copy_from(stream, to, symbol, count, offset, kind, Return::queued);
    };
}

// What HIP checks first where a node gets other parameters.
Status check_other(const void *symbol, const void *other, std::size_t count) {
    if (!on_hip()) return Status::success;
    if (!symbol) return Status::invalid_symbol;
    return !other || !count || symbol == other ? Status::invalid_value : Status::success;
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

Status GraphAddMemcpyNodeToSymbol(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t number,
                                  const void *symbol, const void *from, std::size_t count, std::size_t offset,
                                  int kind) {
    return add_work(node, graph, after, number, copying_to(symbol, from, count, offset, kind));
}

Status GraphAddMemcpyNodeFromSymbol(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                                    std::size_t number, void *to, const void *symbol, std::size_t count,
                                    std::size_t offset, int kind) {
    return add_work(node, graph, after, number, copying_from(to, symbol, count, offset, kind));
}

Status GraphMemcpyNodeSetParamsToSymbol(NodeTag *node, const void *symbol, const void *from,
                                        std::size_t count, std::size_t offset, int kind) {
    const Status status = check_other(symbol, from, count);
    if (status != Status::success) return status;
    return set_work(true, nullptr, node, Task::copy, copying_to(symbol, from, count, offset, kind));
}

Status GraphMemcpyNodeSetParamsFromSymbol(NodeTag *node, void *to, const void *symbol, std::size_t count,
                                          std::size_t offset, int kind) {
    const Status status = check_other(symbol, to, count);
    if (status != Status::success) return status;
    return set_work(true, nullptr, node, Task::copy, copying_from(to, symbol, count, offset, kind));
}

Status GraphExecMemcpyNodeSetParamsToSymbol(ExecutableTag *executable, NodeTag *node, const void *symbol,
                                            const void *from, std::size_t count, std::size_t offset,
                                            int kind) {
    const Status status = check_other(symbol, from, count);
    if (status != Status::success) return status;
    return set_work(false, executable, node, Task::copy, copying_to(symbol, from, count, offset, kind));
}

Status GraphExecMemcpyNodeSetParamsFromSymbol(ExecutableTag *executable, NodeTag *node, void *to,
                                              const void *symbol, std::size_t count, std::size_t offset,
                                              int kind) {
    const Status status = check_other(symbol, to, count);
    if (status != Status::success) return status;
    return set_work(false, executable, node, Task::copy, copying_from(to, symbol, count, offset, kind));
}

} // namespace pygpu::host::api
