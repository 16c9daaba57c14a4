// The table of shared memory.
#include "memory/shared_memory.hpp"

#include "memory/side_table.hpp"

namespace pygpu::host {
namespace {

SideTable<SharedMemory> &shared_memories() {
    static auto *table = new SideTable<SharedMemory>;
    return *table;
}

} // namespace

// A block that gets no private pages back is never reused: its pages are unmapped with `pages`.
void SharedMemory::end(Allocation &memory) {
    if (memory.owner != Owner::other_process && pages && !pages->give_back()) memory.base = nullptr;
}

std::shared_ptr<SharedMemory> shared_memory_of(const Allocation &memory) {
    return shared_memories().find(memory);
}

// The entry is made first: nothing may throw once pages were replaced.
std::shared_ptr<SharedPages> share(const Allocation &memory) {
    const auto known = shared_memories().set(memory, std::make_shared<SharedMemory>());
    if (!known->pages) known->pages = SharedPages::take(Shared::memory, memory.base, memory.size);
    return known->pages;
}

Status enter_opened(std::shared_ptr<SharedPages> pages, std::size_t size, int device, Memory &created) {
    auto memory =
        std::make_shared<Allocation>(MemoryKind::device, device, static_cast<char *>(pages->base()), size);
    memory->owner = Owner::other_process;
    shared_memories().set(*memory, std::make_shared<SharedMemory>(SharedMemory{std::move(pages), 1}));
    const Status status = enter(memory);
    if (status == Status::success) created = std::move(memory);
    return status;
}

} // namespace pygpu::host
