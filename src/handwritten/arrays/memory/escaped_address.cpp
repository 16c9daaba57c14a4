// The buffers whose addresses are watched.
#include "arrays/memory/escaped_address.hpp"

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
    const auto found = std::find_if(watched().upper_bound(address), watched().end(),
                                    [](const auto &one) { return !one.second->ended(); });
    if (found != watched().end() && address >= reinterpret_cast<std::uintptr_t>(found->second->pointer))
        found->second->let_escape();
}

} // namespace

void watch_address(Buffer &buffer) {
    watched()[end_of(buffer)] = &buffer;
    memory_kinds->address_taken = taken;
}

void forget_address(const Buffer &buffer) {
    const auto found = watched().find(end_of(buffer));
    if (found != watched().end() && found->second == &buffer) watched().erase(found);
    if (watched().empty()) memory_kinds->address_taken = nullptr;
}

} // namespace pygpu::arrays
