// Taking memory from the system.
#include "host/core/backing.hpp"

#include "host/core/report.hpp"
#include "host/core/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

constexpr std::size_t mapped_from = std::size_t{1} << 20; // larger pieces are mapped one by one
constexpr std::size_t filled_ends = std::size_t{64} << 10;
constexpr std::size_t quarantine_limit = std::size_t{16} << 20;

struct Freed {
    void *base;
    std::size_t size;
};

struct Quarantine {
    std::mutex mutex;
    std::deque<Freed> pieces;
    std::size_t bytes = 0;
};

Quarantine &quarantine() {
    static Quarantine *all = new Quarantine;
    return *all;
}

std::size_t whole_pages(std::size_t size) {
    static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

void fill(void *base, std::size_t size, unsigned char pattern) {
    if (size <= mapped_from || settings().strict) {
        std::memset(base, pattern, size);
        return;
    }
    std::memset(base, pattern, filled_ends);
    std::memset(static_cast<char *>(base) + size - filled_ends, pattern, filled_ends);
}

// A write to freed memory shows when the piece leaves quarantine.
void release(const Freed &freed) {
    if (settings().strict) {
        const auto *bytes = static_cast<const unsigned char *>(freed.base);
        const auto *end = bytes + freed.size;
        const auto *touched =
            std::find_if(bytes, end, [](unsigned char byte) { return byte != freed_pattern; });
        if (touched != end) report_touched(freed.base, freed.size, static_cast<std::size_t>(touched - bytes));
    }
    std::free(freed.base);
}

} // namespace

void *take_memory(std::size_t size) {
    void *base = nullptr;
    if (size > mapped_from) {
        base = mmap(nullptr, whole_pages(size), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) return nullptr;
        if (size >= (std::size_t{8} << 20)) madvise(base, whole_pages(size), MADV_HUGEPAGE);
    } else if (posix_memalign(&base, memory_alignment,
                              (size + memory_alignment - 1) / memory_alignment * memory_alignment)) {
        return nullptr;
    }
    fill(base, size, fresh_pattern);
    return base;
}

void give_memory(void *base, std::size_t size) {
    if (size > mapped_from) {
        munmap(base, whole_pages(size));
        return;
    }
    std::memset(base, freed_pattern, size);
    Quarantine &all = quarantine();
    std::unique_lock lock(all.mutex);
    all.pieces.push_back({base, size});
    all.bytes += std::max(size, memory_alignment);
    while (all.bytes > quarantine_limit) {
        const Freed oldest = all.pieces.front();
        all.pieces.pop_front();
        all.bytes -= std::max(oldest.size, memory_alignment);
        lock.unlock(); // a report may call the user's code
        release(oldest);
        lock.lock();
    }
}

} // namespace pygpu::host
