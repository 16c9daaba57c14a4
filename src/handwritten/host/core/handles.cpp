// Minting handles.
#include "host/core/handles.hpp"

#include <atomic>
#include <cstddef>
#include <sys/mman.h>

namespace pygpu::host {
namespace {

constexpr std::size_t range = std::size_t{1} << 32;
constexpr std::size_t step = 64;

char *reserve() {
    void *base = mmap(nullptr, range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return base == MAP_FAILED ? nullptr : static_cast<char *>(base);
}

} // namespace

void *mint_handle() {
    static char *const base = reserve();
    static std::atomic<std::size_t> next{step};
    // After 67 million handles the oldest come again.
    return base + (next.fetch_add(step, std::memory_order_relaxed) % range);
}

} // namespace pygpu::host
