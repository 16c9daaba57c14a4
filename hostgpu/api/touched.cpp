// Looking at the memory of nodes when they run.
#include "api/touched.hpp"

#include "base/fatal.hpp"
#include "memory/graph_memory.hpp"
#include "memory/virtual_memory.hpp"

#include <string>

namespace pygpu::host {

void Touched::add(const Memory &memory, bool writes, int device) {
    if (memory && (memory->owner == Owner::mapping || memory->owner == Owner::graph))
        pieces_.push_back({memory, writes, device});
}

bool Touched::may_be_used(const char *what) const {
    for (const Piece &piece : pieces_) {
        const Memory memory = piece.memory.lock();
        if (!memory) continue;
        const unsigned access = piece.device < 0 ? any_access_of(*memory) : access_of(*memory, piece.device);
        const char *const why = !(access & (piece.writes ? may_write : may_read))
                                    ? piece.writes ? " writes to memory that can only be read: "
                                                   : " reads memory that nobody may access: "
                                : !is_held(*memory) ? " uses memory of a graph that isn't allocated now: "
                                                    : nullptr;
        if (!why) continue;
        break_devices(Status::illegal_address, what + (why + describe(*memory)));
        return false;
    }
    return true;
}

} // namespace pygpu::host
