// Minting handles.
#include "base/handles.hpp"

#include <atomic>
#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace pygpu::host {
namespace {

constexpr std::size_t step = 64;

struct HandleRange {
    char *base = nullptr;
    std::size_t size = std::size_t{1} << 32;
};

// Reserves as large a range as the process's limit on addresses allows: room for a million handles at least.
HandleRange reserve() {
    for (HandleRange range; range.size >= std::size_t{64} << 20; range.size /= 4) {
        void *base = mmap(nullptr, range.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED) continue;
        range.base = static_cast<char *>(base);
        return range;
    }
    throw std::bad_alloc();
}

} // namespace

void *mint_handle() {
    static const HandleRange range = reserve();
    static std::atomic<std::size_t> next{step};
    // After 67 million handles the oldest come again.
    return range.base + (next.fetch_add(step, std::memory_order_relaxed) % range.size);
}

} // namespace pygpu::host
