// Addresses in the shared memory of a cluster: the low 24 bits are an offset in a block's window, and above
// them stands that block's rank plus one. Without a rank it is the block's own ("the shared::cta window is
// contained in the shared::cluster window": PTX ISA, "State Spaces: Shared State Space").
#pragma once

#include "ptx/machine/machine.hpp"

namespace pygpu::host::ptx {

constexpr unsigned rank_at = 24;
constexpr std::uint32_t offset_mask = (1u << rank_at) - 1;

// The block that an address is of; null where the cluster has none of that rank.
inline Block *block_at(const Block &own, std::uint32_t address) {
    const std::uint32_t rank = address >> rank_at ? (address >> rank_at) - 1 : own.rank;
    const auto &blocks = own.cluster.blocks;
    return rank < blocks.size() ? blocks[rank].get() : nullptr;
}

// The address at the host; where nothing is there, one of the null page.
inline std::uint64_t host_address(const Block &own, std::uint32_t address) {
    const Block *const block = block_at(own, address);
    const std::uint32_t offset = address & offset_mask;
    return block && offset < block->shared_size ? reinterpret_cast<std::uint64_t>(block->shared) + offset
                                                : address & 0xffff;
}

inline std::uint32_t cluster_address(const Block &own, const Block &of, std::uint32_t offset) {
    return &of == &own ? offset : (of.rank + 1) << rank_at | offset;
}

} // namespace pygpu::host::ptx
