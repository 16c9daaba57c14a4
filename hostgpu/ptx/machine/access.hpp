// The host's addresses of what lanes access, each one checked.
#pragma once

#include "ptx/machine/lanes.hpp"

namespace pygpu::host::ptx {

// Where the operand [a + imm] of a memory instruction points to.
enum class Window { generic, shared, local, cluster };

constexpr std::uint64_t null_page = 1 << 16; // nothing is mapped below

// Addresses of shared and of local memory have 32 bits, whatever the operand has: they wrap. ptxas takes the
// low half of a register of 64 bits.
template <Window In> std::uint64_t wrapped(std::uint64_t address) {
    return In == Window::generic ? address : static_cast<std::uint32_t>(address);
}

// The host's address of generic memory: the block's shared and local memory, the kernel's parameters, and
// what the program has allocated. Null where nothing is there, or where it can only be read and is written.
inline char *generic_memory(Warp &w, std::uint64_t address, std::size_t size, AddressRange &hint,
                            bool writes = false) {
    Block &block = *w.block;
    const auto within = [&](const char *begin, std::size_t bytes) {
        const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(begin);
        return begin && offset < bytes && bytes - offset >= size;
    };
    const bool own = within(block.shared, block.shared_size) ||
                     within(block.local, block.local_size * block.threads) ||
                     within(block.launch.parameters.data(), block.launch.parameters.size()) ||
                     within(reinterpret_cast<const char *>(block.launch.workspace.data()),
                            block.launch.workspace.size() * sizeof(std::uint64_t));
    const auto beside = [&] { return block.cluster.blocks.size() > 1 && block.cluster.owner(address, size); };
    if (!own && !beside()) {
        const AddressRange range = block.worker->memory.find(address);
        if (!range.has(address, size) || (writes && !range.writable)) return nullptr;
        hint = range;
    }
    return reinterpret_cast<char *>(address);
}

// Instructions that write have hints of their own, so that read-only memory never becomes a hint for a write.
inline bool writes(const Instr &i) { return i.hint >= Worker::hint_count / 2; }

// An access that fails: reported, and the launch ends.
const Instr *bad_access(const Instr *i, Warp &w, std::uint64_t address, std::size_t size, unsigned lane,
                        bool misaligned, Window window);

// Fills `at` for the lanes of the mask; false, with the launch failed, where one may not go there.
template <Window In> bool resolve(const Instr *i, Warp &w, std::size_t size, char **at) {
    const auto *const a = w.reg<std::uint64_t>(i->a);
    const std::uint64_t offset = i->imm;
    Block &block = *w.block;
    AddressRange &hint = block.worker->hints[i->hint];
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint64_t address = wrapped<In>(a[l] + offset);
        const bool misaligned = address & (size - 1);
        if constexpr (In == Window::generic) {
            at[l] = reinterpret_cast<char *>(address);
            if (!misaligned && hint.has(address, size)) [[likely]]
                continue;
            if (misaligned || !generic_memory(w, address, size, hint, writes(*i))) {
                bad_access(i, w, address, size, l, misaligned, In);
                return false;
            }
        } else {
            const std::size_t room = In == Window::shared ? block.shared_size
                                     : block.local        ? block.local_size
                                                          : 0;
            if (misaligned || address >= room || room - address < size) {
                bad_access(i, w, address, size, l, misaligned, In);
                return false;
            }
            at[l] = (In == Window::shared ? block.shared
                                          : block.local + (w.number * warp_size + l) * block.local_size) +
                    address;
        }
    }
    return true;
}

// Whether all 32 lanes may access `size` bytes, as far as the hint knows. The host's address is `base` plus
// the lane's operand. `dense`: the addresses are Step bytes apart.
template <Window In, std::size_t Step>
bool all_lanes(const Instr *i, Warp &w, std::size_t size, std::uintptr_t &base, bool &dense) {
    if (In == Window::local || w.exec != ~0u) return false;
    const auto *const a = w.reg<std::uint64_t>(i->a);
    Block &block = *w.block;
    const AddressRange range =
        In == Window::shared ? AddressRange{0, block.shared_size} : block.worker->hints[i->hint];
    if (range.end - range.begin < size) return false;
    const std::uint64_t offset = i->imm, shift = offset - range.begin, last = range.end - range.begin - size;
    // An offset that is too large has its highest bit set, or the difference `last` minus the offset has.
    std::uint64_t beyond = 0, low = 0, other = 0;
    for (unsigned l = 0; l < warp_size; ++l) {
        const std::uint64_t at = a[l] + shift;
        beyond |= (last - at) | at;
        low |= a[l] + offset;
        other |= a[l] ^ (a[0] + l * Step);
    }
    if (beyond >> 63 || low & (size - 1)) return false;
    dense = !other;
    base = (In == Window::shared ? reinterpret_cast<std::uintptr_t>(block.shared) : range.begin) + shift;
    return true;
}

} // namespace pygpu::host::ptx
