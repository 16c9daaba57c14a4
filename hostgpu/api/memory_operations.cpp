// Checking operations on memory, and queueing them.
#include "api/memory_operations.hpp"

#include "api/find.hpp"
#include "api/nodes.hpp"
#include "api/touched.hpp"
#include "api/transfer.hpp"
#include "memory/graph_memory.hpp"

#include <span>
#include <vector>

namespace pygpu::host {
namespace {

constexpr unsigned most_operations = 256;
constexpr unsigned flush_flag = 1u << 30;

// The manual of cuStreamWaitValue32(): managed memory can't be used.
Status check_place(const MemoryOperation &one, const Stream &stream, std::vector<Memory> &uses) {
    if (!one.address || reinterpret_cast<std::uintptr_t>(one.address) % one.bytes())
        return Status::invalid_value;
    Memory memory = memory_at(one.address);
    const char *why = !memory || memory->freeing ? "no memory of a device, and none that is registered"
                      : !memory->contains(one.address, one.bytes()) ? "reaches beyond the end of its memory"
                      : memory->kind == MemoryKind::managed && !on_hip() ? "managed memory"
                      : !reaches(stream.device, *memory) ? "memory that the stream's device has no access to"
                      : !reaches(stream.device, *memory, one.writes())
                          ? "memory that the stream's device may only read"
                      : !captures(stream) && !is_taken(*memory) ? "memory of a graph that isn't allocated now"
                                                                : nullptr;
    if (why) {
        report_misuse(why, one.address, memory.get());
        return Status::invalid_value;
    }
    uses.push_back(std::move(memory));
    return Status::success;
}

Status check_operation(const MemoryOperation &one, const Stream &stream, std::vector<Memory> &uses) {
    switch (one.type) {
    case MemoryOperation::wait_32:
    case MemoryOperation::wait_64:
        if (one.flags & ~(MemoryOperation::compare_bits | flush_flag)) return Status::invalid_value;
        if (one.flags & flush_flag) return Status::not_supported; // as the device's attribute says
        return check_place(one, stream, uses);
    case MemoryOperation::write_32:
    case MemoryOperation::write_64:
        // An H200 can't leave out the barrier (CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) either.
        if (one.flags) return Status::invalid_value;
        return check_place(one, stream, uses);
    case MemoryOperation::barrier:
        return one.own_flags > 1 ? Status::invalid_value : Status::success; // of the system, or of the device
    case MemoryOperation::flush:
        return Status::not_supported;
    default:
        return Status::invalid_value;
    }
}

Status submit_batch(const std::shared_ptr<Stream> &stream, std::span<const MemoryOperation> operations,
                    Comparison comparison, void *context) {
    std::vector<Memory> uses;
    Touched touched;
    for (const MemoryOperation &one : operations) {
        const std::size_t before = uses.size();
        const Status status = check_operation(one, *stream, uses);
        if (status != Status::success) return status;
        if (uses.size() > before) touched.add(uses.back(), one.writes(), stream->device);
    }
    auto work = std::make_unique<BatchWork>(
        std::vector<MemoryOperation>(operations.begin(), operations.end()), comparison, context);
    if (captures(*stream))
        work->may_run = [touched] { return touched.may_be_used("a stream's operation in a graph"); };
    for (Memory &memory : uses) work->keep(std::move(memory));
    stream->submit(std::move(work));
    return Status::success;
}

// CUDA's may be empty.
bool is_batch(unsigned count, const MemoryOperation *operations, unsigned flags) {
    const bool given = count ? operations != nullptr : !on_hip();
    return given && count <= most_operations && !flags;
}

// The work of a batch's node.
auto batching(const BatchNode *batch) {
    return [batch](const std::shared_ptr<Stream> &stream) {
        if (!batch || !is_batch(batch->count, batch->operations, batch->flags)) return Status::invalid_value;
        return submit_batch(stream, {batch->operations, batch->count}, {!on_hip()}, batch->context);
    };
}

} // namespace

namespace api {

Status submit_operation(StreamTag *stream, MemoryOperation::Type type, void *address, std::uint64_t value,
                        unsigned flags, Comparison comparison) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const MemoryOperation one{type, 0, address, value, flags, 0, nullptr, 0};
    return submit_batch(on, {&one, 1}, comparison, nullptr);
}

Status StreamBatchMemOp(StreamTag *stream, unsigned count, MemoryOperation *operations, unsigned flags) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    if (!is_batch(count, operations, flags)) return Status::invalid_value;
    return submit_batch(on, {operations, count}, {!on_hip()}, nullptr);
}

Status GraphAddBatchMemOpNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              const BatchNode *batch) {
    return add_work(node, graph, after, count, batching(batch));
}

Status GraphBatchMemOpNodeGetParams(NodeTag *node, BatchNode *batch) {
    const auto object = nodes().find(node);
    if (!object || !batch) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    const auto *const work = dynamic_cast<const BatchWork *>(object->work.get());
    if (!work) return Status::invalid_value;
    *batch = {work->context, static_cast<unsigned>(work->operations.size()),
              const_cast<MemoryOperation *>(work->operations.data()), 0};
    return Status::success;
}

Status GraphBatchMemOpNodeSetParams(NodeTag *node, const BatchNode *batch) {
    return set_work(true, nullptr, node, Task::batch, batching(batch));
}

Status GraphExecBatchMemOpNodeSetParams(ExecutableTag *executable, NodeTag *node, const BatchNode *batch) {
    return set_work(false, executable, node, Task::batch, batching(batch));
}

} // namespace api
} // namespace pygpu::host
