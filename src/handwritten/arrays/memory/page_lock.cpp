// Allocating page-locked memory: by the runtime's allocation, or by registering huge pages.
#include "arrays/memory/page_lock.hpp"

#include "arrays/machine/limits.hpp"
#include "arrays/machine/thread_pool.hpp"
#include "arrays/memory/huge_pages.hpp"
#include "base/lock.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <new>
#include <sys/utsname.h>
#include <unordered_map>
#include <utility>

namespace pygpu::arrays {
namespace {

// After a reset has ended memory of the runtime, huge pages may get the same address. So huge pages are
// identified by address and generation.
struct RegisteredPiece {
    std::size_t capacity;
    int device;
    DeviceGeneration generation;
};

// The huge pages that are registered.
struct Registered {
    std::mutex mutex;
    std::unordered_map<void *, RegisteredPiece> pieces;
};

Registered &registered() {
    static auto *all = new Registered; // outlives every static destructor
    return *all;
}

// The bytes of registered huge pages; 0 if they are not registered, or were in another generation.
std::size_t registered_bytes(void *pointer, int device, const DeviceGeneration &generation) {
    Registered &all = registered();
    const Lock lock(all.mutex);
    const auto entry = all.pieces.find(pointer);
    if (entry == all.pieces.end()) return 0;
    const RegisteredPiece &piece = entry->second;
    return piece.device == device && piece.generation == generation ? piece.capacity : 0;
}

bool remember(void *pointer, std::size_t capacity, int device) try {
    Registered &all = registered();
    const Lock lock(all.mutex);
    all.pieces.emplace(pointer, RegisteredPiece{capacity, device, generation_of(device)});
    return true;
} catch (const std::bad_alloc &) {
    return false;
}

void give_back(void *pointer, std::size_t capacity) {
    {
        Registered &all = registered();
        const Lock lock(all.mutex);
        all.pieces.erase(pointer);
    }
    give_huge_pages(pointer, capacity);
}

// Makes the pages exist by writing to them, with as many threads as a large copy takes.
void fill_pages(char *memory, std::size_t capacity) {
    constexpr std::size_t page = 4096, piece = std::size_t{2} << 20;
    constexpr int most = 8; // 4 threads take nearly twice as long on 16 processors
    std::atomic<std::size_t> next{0};
    auto fill = [&] {
        for (std::size_t at = 0; (at = next.fetch_add(piece)) < capacity;)
            for (std::size_t byte = at; byte < std::min(at + piece, capacity); byte += page)
                *const_cast<volatile char *>(memory + byte) = 0;
    };
    const int asked = threads_asked_for();
    const Helpers helpers((asked ? asked : std::min(most, usable_processors() / 2)) - 1, fill);
    fill();
}

// On Linux before 5.9, the parent's next write to a page after a fork moves that page to another place, while
// the device keeps using the old place. Since 5.9 a fork copies locked pages for the child (commit
// 70e806e4e645). Memory of cudaHostAlloc is shared with the child, and has no such problem.
bool a_fork_copies_locked_pages() {
    utsname kernel{};
    int major = 0, minor = 0;
    return !uname(&kernel) && std::sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
           std::pair(major, minor) >= std::pair(5, 9);
}

std::atomic<bool> can_register{a_fork_copies_locked_pages()};

// Returns false if the runtime's allocation shall be used. If there is too little memory, the runtime's
// allocation returns an error, but filling pages would end the process. So this takes pages only if twice as
// much memory is available.
bool lock_huge_pages(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    std::size_t capacity = 0;
    if (size < least_in_huge_pages || !can_register || in_child() || !in_huge_pages(size, capacity))
        return false;
    if (available_memory() / 2 < capacity) return false;
    const HugePages taken = take_huge_pages(capacity);
    if (!taken.memory) return false;
    if (taken.fresh) fill_pages(taken.memory, capacity);
    const int status = remember(taken.memory, capacity, scope.device())
                           ? scope(runtime.lock_pages(taken.memory, capacity))
                           : runtime.codes.out_of_memory;
    if (status == runtime.codes.not_supported) can_register = false;
    if (status)
        give_back(taken.memory, capacity);
    else
        pointer = taken.memory;
    return !status;
}

} // namespace

int lock_pages(const Runtime &runtime, Scope &scope, std::size_t size, void *&pointer) {
    if (lock_huge_pages(runtime, scope, size, pointer)) return success;
    return scope(runtime.host_alloc(&pointer, size));
}

int unlock_pages(const Runtime &runtime, Scope &scope, void *pointer) {
    const int device = scope.device();
    const std::size_t capacity = registered_bytes(pointer, device, generation_of(device));
    if (!capacity) return scope(runtime.host_free(pointer));
    const int status = scope(runtime.host_unregister(pointer));
    if (!status) give_back(pointer, capacity);
    return status;
}

void forget_pages(void *pointer, int device, const DeviceGeneration &generation) {
    if (in_child()) return; // the parent's
    if (const std::size_t capacity = registered_bytes(pointer, device, generation))
        give_back(pointer, capacity);
}

} // namespace pygpu::arrays
