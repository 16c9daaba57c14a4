// Mapping, keeping and lending huge pages.
#include "arrays/memory/huge_pages.hpp"

#include "base/lock.hpp"
#include "common/checked_int.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

struct Kept {
    std::mutex mutex;
    std::multimap<std::size_t, void *> pieces; // by capacity
    std::size_t bytes = 0;
};

Kept &kept() {
    static auto *all = new Kept; // outlives every static destructor
    return *all;
}

// At most 1 GiB, and a 32nd of the machine's memory.
std::size_t most_kept() {
    static const std::size_t most = [] {
        const auto pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
        const auto page = static_cast<std::size_t>(std::max(sysconf(_SC_PAGESIZE), 0L));
        return std::min(pages * page / 32, std::size_t{1} << 30);
    }();
    return most;
}

void *take_kept(std::size_t capacity) {
    if (in_child()) return nullptr;
    Kept &all = kept();
    const Lock lock(all.mutex);
    const auto entry = all.pieces.find(capacity);
    if (entry == all.pieces.end()) return nullptr;
    void *memory = entry->second;
    all.bytes -= capacity;
    all.pieces.erase(entry);
    return memory;
}

// Keeps memory, and unmaps other pieces to make room. False if the memory is too large itself.
bool keep(void *memory, std::size_t capacity) try {
    if (in_child() || capacity > most_kept()) return false;
    std::vector<std::pair<std::size_t, void *>> gone;
    {
        Kept &all = kept();
        const Lock lock(all.mutex);
        while (all.bytes + capacity > most_kept()) {
            const auto first = all.pieces.begin();
            gone.push_back(*first);
            all.bytes -= first->first;
            all.pieces.erase(first);
        }
        all.pieces.emplace(capacity, memory);
        all.bytes += capacity;
    }
    for (const auto &[size, piece] : gone) munmap(piece, size);
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

// Maps memory aligned to huge pages. Maps more than needed, and unmaps what lies before and behind.
char *map_aligned(std::size_t capacity) {
    std::size_t size = 0;
    if (!(CheckedInt(capacity) + huge_page).fits(size)) return nullptr;
    void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto *begin = static_cast<char *>(mapped);
    const std::size_t before = (huge_page - reinterpret_cast<std::size_t>(begin) % huge_page) % huge_page;
    if (before) munmap(begin, before);
    munmap(begin + before + capacity, huge_page - before);
    madvise(begin + before, capacity, MADV_HUGEPAGE); // only advice: the kernel may refuse it
    return begin + before;
}

} // namespace

bool in_huge_pages(std::size_t size, std::size_t &capacity) {
    if (!(CheckedInt(size) + (huge_page - 1)).fits(capacity)) return false;
    capacity -= capacity % huge_page;
    return true;
}

HugePages take_huge_pages(std::size_t capacity) {
    if (void *memory = take_kept(capacity)) return {static_cast<char *>(memory), false};
    char *memory = map_aligned(capacity);
    if (!memory) {
        free_kept_huge_pages(); // the kept memory may be what is missing
        memory = map_aligned(capacity);
    }
    return {memory, true};
}

void give_huge_pages(void *memory, std::size_t capacity) {
    if (!keep(memory, capacity)) munmap(memory, capacity);
}

void free_kept_huge_pages() {
    if (in_child()) return;
    std::multimap<std::size_t, void *> pieces;
    {
        Kept &all = kept();
        const Lock lock(all.mutex);
        pieces.swap(all.pieces);
        all.bytes = 0;
    }
    for (const auto &[capacity, memory] : pieces) munmap(memory, capacity);
}

} // namespace pygpu::arrays
