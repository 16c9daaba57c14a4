// Messages about accesses that fail.
#include "ptx/machine/access.hpp"

#include <cstdio>

namespace pygpu::host::ptx {

const Instr *bad_access(const Instr *i, Warp &w, std::uint64_t address, std::size_t size, unsigned lane,
                        bool misaligned, Window window) {
    const bool generic = window == Window::generic;
    const char *why = "aren't in memory that is allocated";
    if (misaligned)
        why = "is no multiple of their size";
    else if (generic && address < null_page)
        why = "aren't in memory that is allocated (a null pointer)";
    else if (generic && w.block->worker->memory.find(address).has(address, size))
        why = "can only be read";
    char text[160];
    std::snprintf(text, sizeof text, "%zu bytes at %s0x%llx, which %s", size,
                  window == Window::shared  ? "shared "
                  : window == Window::local ? "local "
                                            : "",
                  static_cast<unsigned long long>(address), why);
    if (w.block->observer) w.block->observer->failed(*i, w, lane, address, size, window, misaligned);
    return w.fail(misaligned ? Fault::misaligned_address : Fault::illegal_address, i, text, lane);
}

} // namespace pygpu::host::ptx
