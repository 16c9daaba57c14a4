// Taking memory from the system, and caching some.
#include "memory/backing.hpp"

#include "base/caught.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "memory/freed.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace pygpu::host {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::size_t mapped_from = 1 * MiB; // larger pieces are mapped one by one
constexpr std::size_t huge_from = 8 * MiB;   // from here on with huge pages
constexpr std::size_t filled_whole = 8 * KiB;
constexpr std::size_t filled_ends = 4 * KiB;
constexpr std::size_t quarantined_bytes = 4 * MiB; // about as much as a processor's caches hold
constexpr std::size_t quarantined_blocks = 256;
constexpr std::size_t cached_bytes = 256 * MiB;
constexpr std::size_t emptied_from = 64 * MiB; // larger blocks are cached without their pages

struct Freed {
    void *base;
    std::size_t capacity;
    std::size_t size;    // as requested
    std::size_t covered; // bytes that have the pattern: all, or only those at both ends
};

struct Store {
    std::mutex mutex;
    std::deque<Freed> quarantined; // oldest first
    std::size_t bytes_quarantined = 0;
    std::unordered_map<std::size_t, std::vector<void *>> cached; // by capacity
    std::size_t bytes_cached = 0;
};

Store &store() {
    static Store *all = new Store;
    return *all;
}

std::size_t multiple(std::size_t size, std::size_t of) { return (size + of - 1) / of * of; }

std::size_t page_size() {
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return page;
}

// What a quarantined or cached block counts for: a thousandth where it has given its pages back.
std::size_t weight_of(std::size_t capacity) { return capacity > emptied_from ? capacity / 1024 : capacity; }

// Fills the piece, or only its ends; returns how many bytes it has filled.
std::size_t fill(void *base, std::size_t size, unsigned char pattern) {
    if (size <= filled_whole || settings().strict || settings().check) {
        std::memset(base, pattern, size);
        return size;
    }
    std::memset(base, pattern, filled_ends);
    std::memset(static_cast<char *>(base) + size - filled_ends, pattern, filled_ends);
    return 2 * filled_ends;
}

// Asks for huge pages except at both ends. The ends are filled at once, and a huge page there would cost more
// than it saves.
void ask_for_huge_pages(char *base, std::size_t capacity) {
    constexpr std::uintptr_t huge = 2 * MiB;
    const auto from = multiple(reinterpret_cast<std::uintptr_t>(base) + filled_ends, huge);
    const auto to = (reinterpret_cast<std::uintptr_t>(base) + capacity - filled_ends) / huge * huge;
    if (from < to) madvise(reinterpret_cast<void *>(from), to - from, MADV_HUGEPAGE);
}

void *from_system(std::size_t capacity) {
    if (capacity <= mapped_from) {
        // Alignment depends on the capacity only, so cached blocks fit any request of that capacity.
        const std::size_t alignment = capacity % page_size() ? memory_alignment : page_size();
        void *base = nullptr;
        return posix_memalign(&base, alignment, capacity) ? nullptr : base;
    }
    void *base =
        mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    if (capacity >= huge_from) ask_for_huge_pages(static_cast<char *>(base), capacity);
    return base;
}

void to_system(void *base, std::size_t capacity) {
    if (capacity > mapped_from)
        munmap(base, capacity);
    else
        std::free(base);
}

// In strict mode a write to freed memory shows at the end of the quarantine.
void check(const Freed &freed) {
    if (!settings().strict || freed.covered < freed.size) return;
    const auto *bytes = static_cast<const unsigned char *>(freed.base);
    const auto *end = bytes + freed.size;
    const auto *touched = std::find_if(bytes, end, [](unsigned char byte) { return byte != freed_pattern; });
    if (touched != end)
        report("memory written to after it was freed: byte " + std::to_string(touched - bytes) + " of " +
               std::to_string(freed.size) + " at " + hex(freed.base));
}

// Gives a block back to the system: its addresses may be anybody's from now on.
void release(void *base, std::size_t capacity) {
    drop_freed(base);
    to_system(base, capacity);
}

// Gives all cached blocks back to the system; false if there were none.
bool empty_cache(Store &all) {
    const bool any = all.bytes_cached;
    for (const auto &[capacity, bases] : all.cached) {
        for (void *base : bases) release(base, capacity);
    }
    all.cached.clear();
    all.bytes_cached = 0;
    return any;
}

// Caches a block after its quarantine. If the cache is full, it is emptied first.
void cache(Store &all, void *base, std::size_t capacity) {
    if (all.bytes_cached + weight_of(capacity) > cached_bytes) empty_cache(all);
    const Status cached = caught([&] { return all.cached[capacity].push_back(base), Status::success; });
    if (cached == Status::success)
        all.bytes_cached += weight_of(capacity);
    else
        release(base, capacity);
}

// Gives the pages between the ends back to the system. On aarch64 a page may have 64 KiB, more than the
// filled ends.
void empty(void *base, std::size_t capacity) {
    const std::size_t ends = multiple(filled_ends, page_size());
    madvise(static_cast<char *>(base) + ends, capacity - 2 * ends, MADV_DONTNEED);
}

// The cache never joins neighbouring blocks; the system can do so with blocks that were given back.
bool give_back_cached() {
    Store &all = store();
    std::lock_guard lock(all.mutex);
    return empty_cache(all);
}

void *cached_block(std::size_t capacity) {
    Store &all = store();
    std::lock_guard lock(all.mutex);
    const auto entry = all.cached.find(capacity);
    if (entry == all.cached.end() || entry->second.empty()) return nullptr;
    void *base = entry->second.back();
    entry->second.pop_back();
    all.bytes_cached -= weight_of(capacity);
    return base;
}

} // namespace

std::size_t capacity_for(std::size_t size, Pages pages) {
    const bool own = pages == Pages::own || size > mapped_from;
    return multiple(std::max<std::size_t>(size, 1), own ? page_size() : memory_alignment);
}

void *take_memory(std::size_t capacity, std::size_t size) {
    void *base = cached_block(capacity);
    if (!base) base = from_system(capacity);
    if (!base && give_back_cached()) base = from_system(capacity);
    if (base) fill(base, size, fresh_pattern);
    return base;
}

void fill_fresh(void *base, std::size_t size) { fill(base, size, fresh_pattern); }

void give_memory(void *base, std::size_t capacity, std::size_t size) noexcept {
    const std::size_t covered = fill(base, size, freed_pattern);
    if (capacity > emptied_from) empty(base, capacity);
    Store &all = store();
    std::unique_lock lock(all.mutex);
    const Freed freed{base, capacity, size, capacity > emptied_from ? 0 : covered};
    if (caught([&] { return all.quarantined.push_back(freed), Status::success; }) != Status::success)
        return release(base, capacity);
    all.bytes_quarantined += weight_of(capacity);
    while (all.quarantined.size() > 1 &&
           (all.bytes_quarantined > quarantined_bytes || all.quarantined.size() > quarantined_blocks)) {
        const Freed oldest = all.quarantined.front();
        all.quarantined.pop_front();
        all.bytes_quarantined -= weight_of(oldest.capacity);
        lock.unlock(); // a report may call the user's code
        check(oldest);
        lock.lock();
        cache(all, oldest.base, oldest.capacity);
    }
}

} // namespace pygpu::host
