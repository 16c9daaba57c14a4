// Page-locked and managed memory whose address has escaped, because a raw function took it as an int or as an
// array.
//
// PyGPU doesn't know what such a call has queued. So when the memory is released, it is not cached
// (pinned.hpp). It is freed after a wait for the device.
#include "arrays/memory/buffer.hpp"
#include "convert/pointer_provider.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace pygpu::arrays {
namespace {

// By the end addresses of the buffers. Guarded by the GIL.
std::map<std::uintptr_t, Buffer *> &watched() {
    static auto *all = new std::map<std::uintptr_t, Buffer *>; // outlives every static destructor
    return *all;
}

std::uintptr_t end_of(const Buffer &buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer.pointer) + buffer.size;
}

void taken(const void *pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    // Memory that a reset has ended may lie at the same addresses.
    const auto entry = std::find_if(watched().upper_bound(address), watched().end(),
                                    [](const auto &one) { return !one.second->ended(); });
    if (entry != watched().end() && address >= reinterpret_cast<std::uintptr_t>(entry->second->pointer))
        entry->second->let_escape();
}

} // namespace

void Buffer::watch_address() {
    watched()[end_of(*this)] = this;
    memory_kinds->address_taken = taken;
}

void Buffer::forget_address() {
    const auto entry = watched().find(end_of(*this));
    if (entry != watched().end() && entry->second == this) watched().erase(entry);
    if (watched().empty()) memory_kinds->address_taken = nullptr;
}

} // namespace pygpu::arrays
