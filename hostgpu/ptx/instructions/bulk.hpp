// Copies that a thread starts for a whole piece of memory or of a tensor: what their instructions share.
#pragma once

#include "ptx/machine/access.hpp"
#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {

// cp with .bulk, by the rest of its name.
void decode_bulk(Decoder &d);
void decode_bulk_tensor(Decoder &d);
// st.async, red.async
void decode_async_store(Decoder &d);
void decode_async_reduction(Decoder &d);

// Where the host's address of an operand lies: of shared memory, also of another block's, or of global.
std::uint32_t pointer_in(Decoder &d, const Operand &from, bool in_shared);
// The bytes at an address of the host, for one lane; null, with the launch failed, where it may not go there.
char *bytes_at(const Instr *i, Warp &w, unsigned lane, std::uint64_t at, std::size_t size,
               std::size_t alignment, bool writes);

// Calls body(block) for each block that a multicast's mask names; false where the cluster has no such block.
template <class Body> bool each_named(const Warp &w, std::uint32_t mask, Body body) {
    const auto &blocks = w.block->cluster.blocks;
    for (std::uint32_t rest = mask & 0xffff; rest; rest &= rest - 1) {
        const auto rank = static_cast<unsigned>(std::countr_zero(rest));
        if (rank >= blocks.size()) return false;
        body(*blocks[rank]);
    }
    return true;
}

} // namespace pygpu::host::ptx
