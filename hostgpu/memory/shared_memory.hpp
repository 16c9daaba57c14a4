// Allocations whose pages other processes map, too: made here, or opened here.
#pragma once

#include "memory/allocation.hpp"
#include "memory/shared_pages.hpp"

namespace pygpu::host {

struct SharedMemory {
    std::shared_ptr<SharedPages> pages; // null if the system refused them
    int opened = 0; // how often, if the pages are another process's; the lock of ipc.cpp guards it

    void end(Allocation &memory);
};

// Null for memory of this process alone.
std::shared_ptr<SharedMemory> shared_memory_of(const Allocation &memory);

// Has other processes map the pages of an allocation; null where the system refuses. The caller holds the
// lock of ipc.cpp, and nobody may write to them meanwhile.
std::shared_ptr<SharedPages> share(const Allocation &memory);

// Enters another process's memory. It counts as made by the calling thread, in its context.
Status enter_opened(std::shared_ptr<SharedPages> pages, std::size_t size, int device, Memory &created);

} // namespace pygpu::host
