// The table of reserved ranges, and the pages behind it.
#include "memory/virtual_memory.hpp"

#include "base/caught.hpp"
#include "memory/freed.hpp"
#include "memory/side_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <utility>

namespace pygpu::host {
namespace {

constexpr std::size_t device_slots = 64;

struct Mapping {
    std::shared_ptr<Physical> physical; // the lock guards it; null once it was unmapped
    std::array<std::atomic<unsigned char>, device_slots> device{};
    std::atomic<unsigned char> host{0};

    void clear() {
        for (auto &one : device) one = 0;
        host = 0;
    }
    unsigned any() const {
        unsigned all = host;
        for (const auto &one : device) all |= one;
        return all;
    }
};

SideTable<Mapping> &mapping_table() {
    static auto *table = new SideTable<Mapping>;
    return *table;
}

struct Reservation {
    std::size_t size;
    std::map<char *, Memory> mapped{};
    // The last piece at each address. It is mapped again, so that graphs that know it may run again.
    std::map<char *, Memory> former{};
};

struct Reservations {
    std::mutex mutex;
    std::map<const char *, Reservation> by_base;

    // The reserved range that holds all of these bytes. The caller holds the lock.
    auto holding(const void *address, std::size_t length) {
        const char *at = static_cast<const char *>(address);
        auto entry = by_base.upper_bound(at);
        if (entry == by_base.begin()) return by_base.end();
        --entry;
        const std::size_t offset = static_cast<std::size_t>(at - entry->first), all = entry->second.size;
        return offset < all && length <= all - offset ? entry : by_base.end();
    }
};

Reservations &reservations() {
    static auto *all = new Reservations;
    return *all;
}

// The mappings in a range, which may have holes between them; false where the range isn't reserved, or where
// a mapping lies in it only partly. The caller holds the lock.
bool mappings_within(Reservations &all, const void *address, std::size_t length, std::vector<Memory> &found) {
    const auto range = all.holding(address, length);
    if (range == all.by_base.end() || !length) return false;
    char *const begin = static_cast<char *>(const_cast<void *>(address)), *const end = begin + length;
    const auto &mapped = range->second.mapped;
    auto next = mapped.lower_bound(begin);
    if (next != mapped.begin() && std::prev(next)->first + std::prev(next)->second->size > begin)
        return false;
    for (; next != mapped.end() && next->first < end; ++next) {
        if (next->second->size > static_cast<std::size_t>(end - next->first)) return false;
        found.push_back(next->second);
    }
    return true;
}

// The mappings that fill a range without holes; empty where they don't. The caller holds the lock.
std::vector<Memory> mappings_in(Reservations &all, const void *address, std::size_t length) {
    std::vector<Memory> found;
    if (!mappings_within(all, address, length, found)) return {};
    std::size_t filled = 0;
    for (const Memory &memory : found) filled += memory->size;
    return filled == length ? found : std::vector<Memory>{};
}

void *reserve_at(void *hint, std::size_t size, int flags) {
    void *base = mmap(hint, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return base == MAP_FAILED ? nullptr : base;
}

// A range at a multiple of the alignment: what is before and behind it goes back.
void *reserve_aligned(std::size_t size, std::size_t alignment) {
    if (alignment > PTRDIFF_MAX || size > PTRDIFF_MAX - alignment) return nullptr;
    char *const base = static_cast<char *>(reserve_at(nullptr, size + alignment, 0));
    if (!base) return nullptr;
    const std::size_t before = (alignment - reinterpret_cast<std::uintptr_t>(base) % alignment) % alignment;
    if (before) munmap(base, before);
    if (before != alignment) munmap(base + before + size, alignment - before);
    return base + before;
}

// The piece for a mapping: what was there before, if it is alike.
Memory piece_for(const std::map<char *, Memory> &former, char *at, std::size_t size,
                 const Physical &physical) {
    const MemoryKind kind = physical.of_host() ? MemoryKind::host : MemoryKind::device;
    if (const auto known = former.find(at); known != former.end()) {
        const Memory &memory = known->second;
        if (memory->size == size && memory->kind == kind && memory->device == physical.device) return memory;
    }
    auto memory = std::make_shared<Allocation>(kind, physical.device, at, size);
    memory->owner = Owner::mapping;
    return memory;
}

// Waits until nobody uses a mapping that the map of allocations doesn't have any more: calls that have found
// it, and what they have queued. The table of ranges has it twice, and the caller once.
void wait_for_users(const Memory &memory, void (*wait)()) {
    constexpr long kept = 3;
    while (memory.use_count() > kept) {
        wait();
        std::this_thread::yield();
    }
    std::atomic_thread_fence(std::memory_order_acquire);
}

// Ends a mapping that the map of allocations doesn't have.
void take_away(const Memory &memory) {
    std::shared_ptr<Physical> physical; // released without the lock
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    Reservation &range = all.holding(memory->base, memory->size)->second;
    range.mapped.erase(memory->base);
    const auto mapping = mapping_table().find(*memory);
    mapping->clear();
    physical.swap(mapping->physical);
    reserve_at(memory->base, memory->size, MAP_FIXED);
}

} // namespace

void *reserve_addresses(std::size_t size, std::size_t alignment, void *hint) {
    void *base = nullptr;
    if (hint && reinterpret_cast<std::uintptr_t>(hint) % alignment == 0) {
        base = reserve_at(hint, size, MAP_FIXED_NOREPLACE);
        if (base && base != hint) munmap(std::exchange(base, nullptr), size); // a kernel without that flag
    }
    if (!base) base = reserve_aligned(size, alignment);
    if (!base) return nullptr;
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    try {
        all.by_base.emplace(static_cast<char *>(base), Reservation{size});
    } catch (...) {
        munmap(base, size);
        throw;
    }
    return base;
}

Status free_addresses(void *base, std::size_t size) {
    std::map<char *, Memory> former; // released without the lock
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    const auto range = all.by_base.find(static_cast<char *>(base));
    if (range == all.by_base.end() || range->second.size != size || !range->second.mapped.empty())
        return Status::invalid_value;
    former.swap(range->second.former);
    for (const auto &[at, memory] : former) drop_freed(at); // the addresses may be anybody's now
    all.by_base.erase(range);
    munmap(base, size);
    return Status::success;
}

bool is_reserved(const void *address) {
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    return all.holding(address, 1) != all.by_base.end();
}

// The map of allocations is changed without the lock: it may ask Python for the caller's place.
Status map_memory(void *base, std::size_t size, const std::shared_ptr<Physical> &physical) {
    char *const at = static_cast<char *>(base);
    Reservations &all = reservations();
    Memory memory;
    {
        std::lock_guard lock(all.mutex);
        const auto range = all.holding(base, size);
        if (range == all.by_base.end() || !size || size > physical->size) return Status::invalid_value;
        auto &[length, mapped, former] = range->second;
        const auto next = mapped.lower_bound(at);
        if (next != mapped.end() && next->first < at + size) return Status::invalid_value;
        if (next != mapped.begin()) {
            const Memory &before = std::prev(next)->second;
            if (before->base + before->size > at) return Status::invalid_value;
        }
        memory = piece_for(former, at, size, *physical);
        const auto mapping = mapping_table().set(*memory, std::make_shared<Mapping>());
        former[at] = memory; // now: unmapping needs no memory
        const auto place = mapped.emplace(at, memory).first;
        if (!physical->map_at(base, size)) return mapped.erase(place), Status::memory_allocation;
        mapping->physical = physical;
    }
    const Status entered = caught([&] { return enter(memory); });
    if (entered != Status::success) take_away(memory);
    return entered;
}

bool is_mapped(const void *base, std::size_t size) {
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    return !mappings_in(all, base, size).empty();
}

bool is_divided(const void *base, std::size_t size) {
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    std::vector<Memory> found;
    return mappings_within(all, base, size, found);
}

// All pieces leave the map of allocations first, so that no other thread finds them, or maps anything there
// before their end. What another thread takes away meanwhile is let go: it may wait for this one's.
Status unmap_memory(void *base, std::size_t size, void (*wait)()) {
    Reservations &all = reservations();
    std::vector<Memory> found;
    {
        std::lock_guard lock(all.mutex);
        if (!mappings_within(all, base, size, found)) return Status::invalid_value;
    }
    const bool raced = std::erase_if(found, [](const Memory &memory) { return !forget(memory); });
    if (!found.empty()) wait();
    for (const Memory &memory : found) {
        wait_for_users(memory, wait);
        take_away(memory);
    }
    return raced ? Status::invalid_value : Status::success;
}

Status set_access(void *base, std::size_t size, const Access *list, std::size_t count) {
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    const std::vector<Memory> found = mappings_in(all, base, size);
    if (found.empty()) return Status::invalid_value;
    for (const Memory &memory : found) {
        const auto mapping = mapping_table().find(*memory);
        for (std::size_t index = 0; index < count; ++index) {
            const Access &one = list[index];
            auto &place = one.location.type == on_device
                              ? mapping->device[static_cast<std::size_t>(one.location.id)]
                              : mapping->host;
            place = static_cast<unsigned char>(one.flags);
        }
        // The pages stay open: a call of another thread may just have seen the former access.
        if (mapping->any()) mprotect(memory->base, memory->size, PROT_READ | PROT_WRITE);
    }
    return Status::success;
}

std::shared_ptr<Physical> physical_at(const void *address) {
    const Memory memory = memory_at(address);
    if (!memory || memory->owner != Owner::mapping) return nullptr;
    Reservations &all = reservations();
    std::lock_guard lock(all.mutex);
    const auto mapping = mapping_table().find(*memory);
    return mapping ? mapping->physical : nullptr;
}

unsigned access_of(const Allocation &memory, int device) {
    if (memory.owner != Owner::mapping) return may_read | may_write;
    const auto mapping = mapping_table().find(memory);
    return mapping ? mapping->device[static_cast<std::size_t>(device)].load() : 0u;
}

unsigned host_access_of(const Allocation &memory) {
    if (memory.owner != Owner::mapping) return may_read | may_write;
    const auto mapping = mapping_table().find(memory);
    return mapping ? mapping->host.load() : 0u;
}

unsigned any_access_of(const Allocation &memory) {
    if (memory.owner != Owner::mapping) return may_read | may_write;
    const auto mapping = mapping_table().find(memory);
    return mapping ? mapping->any() : 0u;
}

bool continue_mappings(const Memory &memory, const void *address, std::size_t length,
                       std::vector<Memory> &more) {
    if (memory->owner != Owner::mapping) return memory->contains(address, length);
    const char *at = memory->base + memory->size, *const end = static_cast<const char *>(address) + length;
    while (at < end) {
        Memory next = memory_beginning_at(at);
        if (!next || next->owner != Owner::mapping) return false;
        at += next->size;
        more.push_back(std::move(next));
    }
    return true;
}

std::string unreleased_physical(std::size_t &bytes, int &pieces) {
    std::string text;
    for (const auto &physical : all_physical()) {
        bytes += physical->size;
        ++pieces;
        text += "\n  " + std::to_string(physical->size) + " bytes of physical memory, device " +
                std::to_string(physical->device) + ", made by " +
                (physical->made_by ? physical->made_by : "?");
    }
    return text;
}

} // namespace pygpu::host
