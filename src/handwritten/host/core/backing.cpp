// Taking memory from the system, and keeping some.
#include "host/core/backing.hpp"

#include "host/core/freed.hpp"
#include "host/core/guard.hpp"
#include "host/core/report.hpp"
#include "host/core/settings.hpp"

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
constexpr std::size_t huge_from = 8 * MiB;   // and from here on with huge pages
constexpr std::size_t filled_whole = 8 * KiB;
constexpr std::size_t filled_ends = 4 * KiB;
constexpr std::size_t resting_bytes = 4 * MiB; // as much as the processor's caches hold, or so
constexpr std::size_t resting_pieces = 256;
constexpr std::size_t kept_bytes = 256 * MiB;
constexpr std::size_t emptied_from = 64 * MiB; // larger pieces are kept without their pages

struct Freed {
    void *base;
    std::size_t room;
    std::size_t size;    // as asked for
    std::size_t covered; // bytes that have the pattern, the ends' where that isn't all
};

struct Store {
    std::mutex mutex;
    std::deque<Freed> resting; // oldest first
    std::size_t bytes_resting = 0;
    std::unordered_map<std::size_t, std::vector<void *>> kept; // by room: for the next piece of that size
    std::size_t bytes_kept = 0;
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

// What it counts for while it rests or is kept: a thousandth without its pages.
std::size_t weight_of(std::size_t room) { return room > emptied_from ? room / 1024 : room; }

// Fills the piece, or its ends; returns how many bytes.
std::size_t fill(void *base, std::size_t size, unsigned char pattern) {
    if (size <= filled_whole || settings().strict) {
        std::memset(base, pattern, size);
        return size;
    }
    std::memset(base, pattern, filled_ends);
    std::memset(static_cast<char *>(base) + size - filled_ends, pattern, filled_ends);
    return 2 * filled_ends;
}

// Huge pages but at the ends, which are filled at once: there they would cost more than they give.
void ask_for_huge_pages(char *base, std::size_t room) {
    constexpr std::uintptr_t huge = 2 * MiB;
    const auto from = multiple(reinterpret_cast<std::uintptr_t>(base) + filled_ends, huge);
    const auto to = (reinterpret_cast<std::uintptr_t>(base) + room - filled_ends) / huge * huge;
    if (from < to) madvise(reinterpret_cast<void *>(from), to - from, MADV_HUGEPAGE);
}

void *from_system(std::size_t room) {
    if (room <= mapped_from) {
        // Alignment depends on the capacity only, so cached blocks fit any request of that capacity.
        const std::size_t alignment = room % page_size() ? memory_alignment : page_size();
        void *base = nullptr;
        return posix_memalign(&base, alignment, room) ? nullptr : base;
    }
    void *base =
        mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    if (room >= huge_from) ask_for_huge_pages(static_cast<char *>(base), room);
    return base;
}

void to_system(void *base, std::size_t room) {
    if (room > mapped_from)
        munmap(base, room);
    else
        std::free(base);
}

// In strict mode a write to freed memory shows when the piece has rested.
void check(const Freed &freed) {
    if (!settings().strict || freed.covered < freed.size) return;
    const auto *bytes = static_cast<const unsigned char *>(freed.base);
    const auto *end = bytes + freed.size;
    const auto *touched = std::find_if(bytes, end, [](unsigned char byte) { return byte != freed_pattern; });
    if (touched != end) report_touched(freed.base, freed.size, static_cast<std::size_t>(touched - bytes));
}

// From now on what lies there is no memory of ours any more.
void let_go(void *base, std::size_t room) {
    drop_freed(base);
    to_system(base, room);
}

// Gives what is kept back to the system. Whether that was anything.
bool empty_store(Store &all) {
    const bool any = all.bytes_kept;
    for (const auto &[room, bases] : all.kept) {
        for (void *base : bases) let_go(base, room);
    }
    all.kept.clear();
    all.bytes_kept = 0;
    return any;
}

// Keeps a rested piece for the next of its size. What nobody asked for again goes when there is too much.
void keep(Store &all, void *base, std::size_t room) {
    if (all.bytes_kept + weight_of(room) > kept_bytes) empty_store(all);
    const Status kept = caught([&] { return all.kept[room].push_back(base), Status::success; });
    if (kept == Status::success)
        all.bytes_kept += weight_of(room);
    else
        let_go(base, room);
}

// Gives the pages between the ends back to the system.
void empty(void *base, std::size_t room) {
    madvise(static_cast<char *>(base) + filled_ends, room - 2 * filled_ends, MADV_DONTNEED);
}

// Pieces that are kept don't become one: the system has to join them.
bool give_back_kept() {
    Store &all = store();
    std::lock_guard lock(all.mutex);
    return empty_store(all);
}

void *kept_piece(std::size_t room) {
    Store &all = store();
    std::lock_guard lock(all.mutex);
    const auto found = all.kept.find(room);
    if (found == all.kept.end() || found->second.empty()) return nullptr;
    void *base = found->second.back();
    found->second.pop_back();
    all.bytes_kept -= weight_of(room);
    return base;
}

} // namespace

std::size_t room_for(std::size_t size, bool whole_pages) {
    const bool pages = whole_pages || size > mapped_from;
    return multiple(std::max<std::size_t>(size, 1), pages ? page_size() : memory_alignment);
}

void *take_memory(std::size_t room, std::size_t size) {
    void *base = kept_piece(room);
    if (!base) base = from_system(room);
    if (!base && give_back_kept()) base = from_system(room);
    if (base) fill(base, size, fresh_pattern);
    return base;
}

void give_memory(void *base, std::size_t room, std::size_t size) noexcept {
    const std::size_t covered = fill(base, size, freed_pattern);
    if (room > emptied_from) empty(base, room);
    Store &all = store();
    std::unique_lock lock(all.mutex);
    const Freed freed{base, room, size, room > emptied_from ? 0 : covered};
    if (caught([&] { return all.resting.push_back(freed), Status::success; }) != Status::success)
        return let_go(base, room);
    all.bytes_resting += weight_of(room);
    while (all.resting.size() > 1 &&
           (all.bytes_resting > resting_bytes || all.resting.size() > resting_pieces)) {
        const Freed oldest = all.resting.front();
        all.resting.pop_front();
        all.bytes_resting -= weight_of(oldest.room);
        lock.unlock(); // a report may call the user's code
        check(oldest);
        lock.lock();
        keep(all, oldest.base, oldest.room);
    }
}

} // namespace pygpu::host
