// The map of allocations.
#include "memory/allocation.hpp"

#include "base/activity.hpp"
#include "base/call.hpp"
#include "base/caught.hpp"
#include "base/context.hpp"
#include "base/faults.hpp"
#include "base/process.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "memory/freed.hpp"
#include "memory/origin.hpp"
#include "memory/side_table.hpp"
#include "memory/written.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace pygpu::host {
namespace {

struct Map {
    std::mutex mutex;
    std::map<const char *, Memory> by_base;
    std::multimap<const char *, Memory> adopted;
    std::uint64_t serial = 0;
};

Map &map() {
    static Map *all = new Map;
    return *all;
}

// Bytes in use, by device.
using Usage = std::array<std::atomic<std::size_t>, 64>;
Usage used{}, heap_used{};

bool reserve(Usage &usage, int device, std::size_t size, std::size_t limit) {
    std::atomic<std::size_t> &in_use = usage[static_cast<std::size_t>(device)];
    std::size_t now = in_use.load();
    do {
        if (size > limit || now > limit - size) return false;
    } while (!in_use.compare_exchange_weak(now, now + size));
    return true;
}

// How many bytes of the device's memory a piece takes: whole units of its alignment.
std::size_t charged(const Allocation &memory) {
    if (!memory.on_device() || !memory.own_bytes()) return 0;
    if (memory.owner == Owner::graph) return 0; // launches take its bytes
    return (memory.size + memory_alignment - 1) / memory_alignment * memory_alignment;
}

// A new piece's origin: the running call, and its context.
void note_maker(Allocation &memory) {
    memory.context = context_for(memory.device);
    if (const Call *call = thread().call) memory.allocated_by = call->name();
    if (settings().origins())
        origins().set(memory, std::make_shared<Origin>(origin_here(memory.owner != Owner::kernels)));
}

const char *const kinds[] = {"device", "pinned host", "registered host", "managed"};

// What a piece that is being freed was, and which call frees it where.
FreedRecord record_of(const Allocation &memory) {
    const Call *call = thread().call;
    return {memory.base, describe(memory), call ? call->name() : "queued work",
            call ? place_of_caller() : ""};
}

// The piece that holds the address. The caller holds the lock.
Memory containing(Map &all, const char *address) {
    auto after = all.by_base.upper_bound(address);
    if (after == all.by_base.begin()) return nullptr;
    const Memory &before = std::prev(after)->second;
    return address < before->base + before->size ? before : nullptr;
}

// A piece that shares bytes with the range. The caller holds the lock.
Memory overlapping(Map &all, const char *base, std::size_t size) {
    if (Memory memory = containing(all, base)) return memory;
    const auto next = all.by_base.lower_bound(base);
    return next != all.by_base.end() && next->first < base + size ? next->second : nullptr;
}

} // namespace

// What overlaps new memory is host memory that was registered and then freed by its owner.
Status enter(const Memory &memory) {
    note_maker(*memory);
    Map &all = map();
    std::lock_guard lock(all.mutex);
    while (const Memory stale = overlapping(all, memory->base, memory->size)) all.by_base.erase(stale->base);
    all.by_base.emplace(memory->base, memory);
    memory->serial = ++all.serial;
    return Status::success;
}

bool Allocation::contains(const void *address, std::size_t length) const {
    const char *begin = static_cast<const char *>(address);
    return begin >= base && length <= size && static_cast<std::size_t>(begin - base) <= size - length;
}

Allocation::Allocation(MemoryKind kind, int device, char *base, std::size_t size, Pages pages)
    : kind(kind), device(device), base(base), size(size),
      pages(kind == MemoryKind::managed ? Pages::own : pages) {}

Allocation::~Allocation() {
    SideTables::drop(*this);
    if (!own_bytes() || !base) return;
    give_memory(base, capacity_for(size, pages), size);
}

std::string describe(const Allocation &memory) {
    return std::to_string(memory.size) + " bytes of " + kinds[static_cast<int>(memory.kind)] + " memory at " +
           hex(memory.base) + ", device " + std::to_string(memory.device) + ", number " +
           std::to_string(memory.serial) + ", made by " + (memory.allocated_by ? memory.allocated_by : "?") +
           text_of(origins().find(memory));
}

bool reserve_bytes(int device, std::size_t size) {
    if (!reserve(used, device, size, settings().memory)) return false;
    show_memory(device, static_cast<std::ptrdiff_t>(size));
    return true;
}
void return_bytes(int device, std::size_t size) {
    used[static_cast<std::size_t>(device)] -= size;
    show_memory(device, -static_cast<std::ptrdiff_t>(size));
}

bool reserve_heap(int device, std::size_t size, std::size_t limit) {
    return reserve(heap_used, device, size, limit);
}
void return_heap(int device, std::size_t size) { heap_used[static_cast<std::size_t>(device)] -= size; }

std::size_t bytes_in_use(int device) { return used[static_cast<std::size_t>(device)]; }

Status allocate(MemoryKind kind, int device, std::size_t size, unsigned flags, Memory &created, Owner owner,
                Pages pages) {
    if (faults_armed()) {
        if (const int code = fault_of_allocation()) return static_cast<Status>(code);
    }
    if (size > PTRDIFF_MAX - memory_alignment) return Status::memory_allocation;
    auto memory = std::make_shared<Allocation>(kind, device, nullptr, size, pages);
    memory->flags = flags;
    memory->owner = owner;
    const std::size_t taken = charged(*memory);
    if (!reserve_bytes(device, taken)) return Status::memory_allocation;
    memory->base = static_cast<char *>(take_memory(capacity_for(size, memory->pages), size));
    const Status status = memory->base ? caught([&] {
        if (settings().check && kind == MemoryKind::device)
            written_bytes().set(*memory, std::make_shared<WrittenBytes>(memory->base, size));
        return enter(memory);
    })
                                       : Status::memory_allocation;
    if (status == Status::success)
        created = std::move(memory);
    else
        return_bytes(device, taken);
    return status;
}

Status enter_registered(void *base, std::size_t size, unsigned flags, int device, bool writable) {
    auto memory =
        std::make_shared<Allocation>(MemoryKind::registered, device, static_cast<char *>(base), size);
    memory->flags = flags;
    memory->writable = writable;
    note_maker(*memory);
    Map &all = map();
    std::lock_guard lock(all.mutex);
    if (const Memory allocation = overlapping(all, memory->base, size))
        return allocation->kind == MemoryKind::registered ? Status::host_memory_already_registered
                                                          : Status::invalid_value;
    all.by_base.emplace(memory->base, memory);
    memory->serial = ++all.serial;
    return Status::success;
}

void adopt(void *base, std::size_t size, int device, bool writable) {
    auto memory =
        std::make_shared<Allocation>(MemoryKind::registered, device, static_cast<char *>(base), size);
    memory->writable = writable;
    memory->context = context_for(device);
    Map &all = map();
    std::lock_guard lock(all.mutex);
    all.adopted.emplace(memory->base, std::move(memory));
}

void disown(const void *base, std::size_t size) {
    if (process.forked) return; // another thread may have had the lock at the fork
    Map &all = map();
    std::lock_guard lock(all.mutex);
    auto [at, end] = all.adopted.equal_range(static_cast<const char *>(base));
    at = std::find_if(at, end, [&](const auto &one) { return one.second->size == size; });
    if (at != end) all.adopted.erase(at);
}

Memory memory_at(const void *address) {
    Map &all = map();
    const char *wanted = static_cast<const char *>(address);
    std::lock_guard lock(all.mutex);
    if (Memory memory = containing(all, wanted)) return memory;
    // Of overlapping pieces, the one that ends last. A linear search will do, since there are few.
    Memory memory;
    for (auto at = all.adopted.upper_bound(wanted); at != all.adopted.begin();) {
        const Memory &one = (--at)->second;
        const char *end = one->base + one->size;
        if (wanted < end && (!memory || end > memory->base + memory->size)) memory = one;
    }
    return memory;
}

void memory_around(const void *address, Memory &before, Memory &after) {
    Map &all = map();
    std::lock_guard lock(all.mutex);
    auto at = all.by_base.upper_bound(static_cast<const char *>(address));
    if (at != all.by_base.end()) after = at->second;
    if (at != all.by_base.begin()) before = (--at)->second;
}

Memory memory_beginning_at(const void *address) {
    Map &all = map();
    std::lock_guard lock(all.mutex);
    const auto entry = all.by_base.find(static_cast<const char *>(address));
    return entry == all.by_base.end() ? nullptr : entry->second;
}

bool forget(const Memory &memory) {
    Map &all = map();
    {
        std::lock_guard lock(all.mutex);
        const auto entry = all.by_base.find(memory->base);
        if (entry == all.by_base.end() || entry->second != memory) return false;
        all.by_base.erase(entry);
    }
    return_bytes(memory->device, charged(*memory));
    if (memory->owner == Owner::kernels) return_heap(memory->device, memory->size);
    if (memory->own_bytes() || memory->owner == Owner::mapping)
        caught([&] {
            note_freed(memory->base, memory->size, settings().origins() ? record_of(*memory) : FreedRecord{});
            return Status::success;
        });
    return true;
}

std::vector<Memory> memory_of(int device) {
    Map &all = map();
    std::lock_guard lock(all.mutex);
    std::vector<Memory> matches;
    for (const auto &[base, memory] : all.by_base) {
        if (device < 0 || memory->device == device) matches.push_back(memory);
    }
    return matches;
}

} // namespace pygpu::host
