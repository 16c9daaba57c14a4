// Checking and running transfers.
#include "api/transfer.hpp"

#include "api/touched.hpp"
#include "base/call.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "image/array.hpp"
#include "memory/freed.hpp"
#include "memory/graph_memory.hpp"
#include "memory/misuse.hpp"
#include "memory/pool.hpp"
#include "memory/seen_writes.hpp"
#include "memory/virtual_memory.hpp"
#include "streams/capture.hpp"
#include "streams/node_parameters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace pygpu::host {
namespace {

constexpr std::size_t light = std::size_t{64} << 10; // up to this size a copy runs at once on an idle stream

constexpr char not_allocated[] = "memory of a graph that isn't allocated now";

bool is_pageable(const End &end) { return !end.memory; }
bool is_host(const End &end) { return !end.memory || end.memory->kind != MemoryKind::device; }
bool is_plain_host(const End &end) {
    return is_host(end) && (is_pageable(end) || end.memory->kind != MemoryKind::managed);
}

Operands::Endpoint endpoint_of(const End &end) {
    using Type = Operands::Endpoint::Type;
    const Memory &memory = end.memory;
    if (!memory) return {};
    const Type type = memory->kind == MemoryKind::managed  ? Type::managed
                      : memory->owner == Owner::array      ? Type::array
                      : memory->kind == MemoryKind::device ? Type::device
                                                           : Type::host;
    return {type, memory->device};
}

// What copies and sets are as nodes, where they are captured.

// The array that memory belongs to, with the position of an address in it; null for other memory.
ArrayTag *array_at(const End &end, Position &at, std::size_t &element) {
    if (!end.memory || end.memory->owner != Owner::array) return nullptr;
    for (const auto &[handle, array] : arrays().all()) {
        const StridedBlock whole = array->block();
        if (array->memory != end.memory || end.block.base < whole.base) continue;
        const auto offset = static_cast<std::size_t>(end.block.base - whole.base);
        if (offset >= array->size().depth * whole.slice) continue;
        element = array->element;
        at = {offset % whole.pitch / element, offset % whole.slice / whole.pitch, offset / whole.slice};
        return static_cast<ArrayTag *>(const_cast<void *>(handle));
    }
    return nullptr;
}

Pitched pitched_of(const StridedBlock &block, const Size &size) {
    const std::size_t pitch = block.pitch ? block.pitch : size.width;
    return {block.base, pitch, size.width, block.slice ? block.slice / pitch : size.height};
}

Copy3D copy_of(const End &to, const End &from, const Size &size, int kind) {
    Copy3D copy{};
    std::size_t element = 1;
    copy.src_array = array_at(from, copy.src_pos, element);
    copy.dst_array = array_at(to, copy.dst_pos, element);
    if (!copy.src_array) copy.src_ptr = pitched_of(from.block, size);
    if (!copy.dst_array) copy.dst_ptr = pitched_of(to.block, size);
    copy.extent = {size.width / element, size.height, size.depth};
    copy.kind = static_cast<unsigned>(kind);
    return copy;
}

Touched touched_by(const End &to, const End *from, int device) {
    Touched touched;
    for (const End *end : {&to, from}) {
        if (!end) continue;
        touched.add(end->memory, end == &to, device);
        for (const Memory &memory : end->more) touched.add(memory, end == &to, device);
    }
    return touched;
}

// Runs the body now or queues it; waits for it on request. `from` is null where the body reads no memory of
// the caller's.
template <class Body>
void run_on(const std::shared_ptr<Stream> &stream, const Size &size, bool wait, const End &to,
            const End *from, Task task, int kind, unsigned element, unsigned value, Body body) {
    const std::size_t rows = size.height * size.depth;
    const bool now = wait || (size.width * rows <= light && !settings().strict);
    if (wait) thread().asks_whether_done = true;
    if (now && stream->run_now(body)) return;
    std::unique_ptr<Work> work;
    if (captures(*stream)) {
        const int number = task == Task::set ? stream->device : -1;
        work = make_work(
            [touched = touched_by(to, from, number), body = std::move(body)] {
                if (touched.may_be_used("a copy or a memset of a graph")) body();
            },
            task);
    } else {
        work = make_work(std::move(body), task);
    }
    work->operands = {endpoint_of(to),
                      from ? endpoint_of(*from) : Operands::Endpoint{},
                      kind,
                      size.width,
                      rows,
                      rows > 1 ? to.block.pitch : 0,
                      element,
                      {}};
    for (const End *end : {&to, from}) {
        if (!end) continue;
        work->keep(end->memory);
        for (const Memory &memory : end->more) work->keep(memory);
    }
    if (from && captures(*stream)) work->parameters = parameters_of(copy_of(to, *from, size, kind));
    if (task == Task::set && captures(*stream))
        work->parameters = parameters_of(
            MemsetNode{to.block.base, to.block.pitch, value, element, size.width / element, rows});
    const Point point = stream->submit(std::move(work));
    if (wait) point.wait();
}

} // namespace

bool reaches(int number, const Allocation &memory, bool writes) {
    if (memory.owner == Owner::mapping) return access_of(memory, number) & (writes ? may_write : may_read);
    if (memory.kind != MemoryKind::device || memory.device == number) return true;
    if (const auto pool = pool_of(memory); pool && pool->access(number)) return true;
    if (const auto of_graph = graph_memory_of(memory); of_graph && of_graph->access(number)) return true;
    Device &one = device(number);
    std::lock_guard lock(one.mutex);
    return one.peers.count(memory.device) > 0;
}

namespace {

// Whether every mapping of an end gives some device, or the host, the right to read or write.
bool is_accessible(const End &end, bool writes) {
    const unsigned needed = writes ? may_write : may_read;
    return any_access_of(*end.memory) & needed &&
           std::ranges::all_of(end.more, [=](const Memory &one) { return any_access_of(*one) & needed; });
}

// Memory of graphs that isn't allocated can only be captured.
bool is_there(const End &end) { return !end.memory || is_taken(*end.memory); }

Status refuse(const char *why, const StridedBlock &block, const Memory &memory = nullptr) {
    report_misuse(why, block.base, memory.get());
    return Status::invalid_value;
}

} // namespace

Status find_end(const StridedBlock &block, const Size &size, bool writes, End &end) {
    end.block = block;
    end.span = span_of(block, size);
    if (end.span == SIZE_MAX) return Status::invalid_value; // no memory has so many bytes
    end.memory = memory_at(block.base);
    const Memory &memory = end.memory;
    if (!memory) {
        if (lately_freed(block.base)) return refuse("memory that was freed before", block);
        if (is_reserved(block.base))
            return refuse("addresses that are reserved, where nothing is mapped", block);
        return Status::success;
    }
    if (memory->freeing) return refuse("memory whose free is queued", block, memory);
    // Host memory may continue beyond the part that is registered.
    if (memory->kind == MemoryKind::registered) return Status::success;
    if (!memory->contains(block.base, end.span) && !continue_mappings(memory, block.base, end.span, end.more))
        return refuse("reaches beyond the end of its memory", block, memory);
    if (!is_accessible(end, writes))
        return refuse("mapped memory without such access (cuMemSetAccess gives it)", block, memory);
    return Status::success;
}

// There is one address space, so the kind only says which ends must be known to the device. Pageable memory
// isn't.
Status check_kind(const End &to, const End &from, int kind) {
    const bool needs_to = kind == host_to_device || kind == device_to_device;
    const bool needs_from = kind == device_to_host || kind == device_to_device;
    if ((!needs_to || !is_pageable(to)) && (!needs_from || !is_pageable(from))) return Status::success;
    report_misuse("the kind of copy doesn't fit where this memory is",
                  needs_to && is_pageable(to) ? to.block.base : from.block.base);
    return Status::invalid_value;
}

Status transfer(const std::shared_ptr<Stream> &stream, const StridedBlock &to, const StridedBlock &from,
                const Size &size, int kind, Return when, std::optional<int> said) {
    if (size.empty()) return Status::success;
    if (!is_copy_kind(kind)) return Status::invalid_memcpy_direction;
    std::size_t bytes = 0;
    if (!to.base || !from.base || !size.bytes().fits(bytes)) return Status::invalid_value;
    End target, source;
    if (Status status = find_end(to, size, true, target); status != Status::success) return status;
    if (Status status = find_end(from, size, false, source); status != Status::success) return status;
    if (Status status = check_kind(target, source, kind); status != Status::success) return status;

    const bool captured = captures(*stream);
    if (captured && when == Return::after_host) refuse_captured(*stream);
    if (!captured && !(is_there(target) && is_there(source)))
        return refuse(not_allocated, is_there(source) ? to : from);
    const bool within_device = !is_host(target) && !is_host(source);
    // A copy to pageable memory is done when the call returns. CUDA also waits for every copy between host
    // memories ("API synchronization behavior", "Asynchronous"); AMD doesn't. A captured copy reads and
    // writes pageable memory at each launch of the graph.
    const bool wait = !captured && ((when == Return::after_host && !within_device) || is_pageable(target) ||
                                    (!on_hip() && is_plain_host(target) && is_plain_host(source)));
    const auto move = [to, from, size, into = written_of(target.memory), out_of = written_of(source.memory)] {
        move_block(to, from, size);
        if (into) into->copy(to, out_of.get(), from, size);
    };
    if (!wait && !captured && is_pageable(source)) {
        if (bytes <= light && !settings().strict && stream->run_now(move)) return Status::success;
        // The caller may reuse pageable memory at once, so it is read into a staging buffer now.
        auto copied = std::shared_ptr<char>(static_cast<char *>(std::malloc(bytes)), std::free);
        if (!copied) return Status::memory_allocation;
        const StridedBlock staged{copied.get(), size.width, size.width * size.height};
        move_block(staged, from, size);
        run_on(stream, size, false, target, nullptr, Task::copy, kind, 0, 0,
               [to, staged, size, copied, into = written_of(target.memory)] {
                   move_block(to, staged, size);
                   if (into) into->set(to, size);
               });
        return Status::success;
    }
    run_on(stream, size, wait, target, &source, Task::copy, said.value_or(kind), 0, 0, move);
    return Status::success;
}

Status set(const std::shared_ptr<Stream> &stream, const StridedBlock &to, const Size &size, unsigned value,
           unsigned element, Return when) {
    if (size.empty()) return Status::success;
    std::size_t bytes = 0;
    if (!size.bytes().fits(bytes)) return Status::invalid_value;
    End target;
    if (Status status = find_end(to, size, true, target); status != Status::success) return status;
    if (is_pageable(target)) {
        report_misuse("no memory of a device", to.base);
        return Status::invalid_value;
    }
    if (!reaches(stream->device, *target.memory, true)) {
        report_misuse("memory of a device that the stream's device has no access to", to.base,
                      target.memory.get());
        return Status::invalid_value;
    }
    const bool captured = captures(*stream);
    if (captured && when == Return::after_host) refuse_captured(*stream);
    if (!captured && !is_there(target)) return refuse(not_allocated, to);
    const bool wait = when == Return::after_host && is_host(target);
    run_on(stream, size, wait, target, nullptr, Task::set, 0, element, value,
           [to, size, value, element, into = written_of(target.memory)] {
               set_block(to, size, value, element);
               if (into) into->set(to, size);
           });
    return Status::success;
}

} // namespace pygpu::host
