// Looking up what was written.
#include "memory/seen_writes.hpp"

#include "base/settings.hpp"

namespace pygpu::host {

std::shared_ptr<WrittenBytes> written_of(const Memory &memory) {
    if (!memory || (memory->owner != Owner::caller && memory->owner != Owner::kernels)) return nullptr;
    return written_bytes().find(*memory);
}

void count_all_as_written() {
    if (!settings().check) return;
    for (const Memory &memory : memory_of(-1)) {
        if (const auto written = written_bytes().find(*memory))
            written->set({memory->base, 0, 0}, {memory->size, 1, 1});
    }
}

} // namespace pygpu::host
