// The host's addresses of what lanes access, each one checked.
#pragma once

#include "host/ptx/decoder.hpp"
#include "host/ptx/lanes.hpp"

#include <cstdio>

namespace pygpu::host::ptx {

// Where the operand [a + imm] of a memory instruction points to.
enum class Window { generic, shared, local };

// Whatever lane of the block asks: shared and local memory, the kernel's parameters, and what the program has
// allocated. Null where none of that is there.
inline char *generic_memory(Warp &w, std::uint64_t address, std::size_t size, Range &hint) {
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
    if (!own) {
        hint = block.worker->memory.find(address);
        if (!hint.has(address, size)) return nullptr;
    }
    return reinterpret_cast<char *>(address);
}

[[gnu::noinline]] inline const Instr *bad_access(const Instr *i, Warp &w, std::uint64_t address,
                                                 std::size_t size, unsigned lane, bool misaligned,
                                                 const char *where) {
    char text[160];
    std::snprintf(text, sizeof text, "%zu bytes at %s0x%llx, which %s", size, where,
                  static_cast<unsigned long long>(address),
                  misaligned ? "is no multiple of their size" : "aren't in memory that is allocated");
    return w.fail(misaligned ? Fault::misaligned_address : Fault::illegal_address, i, text, lane);
}

// Fills `at` for the lanes of the mask; false, with the launch failed, where one may not go there.
template <Window In> bool resolve(const Instr *i, Warp &w, std::size_t size, char **at) {
    const auto *const a = w.reg<std::uint64_t>(i->a);
    const std::uint64_t offset = i->imm;
    Block &block = *w.block;
    Range &hint = block.worker->hints[i->hint];
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint64_t address = a[l] + offset;
        const bool misaligned = address & (size - 1);
        if constexpr (In == Window::generic) {
            at[l] = reinterpret_cast<char *>(address);
            if (!misaligned && hint.has(address, size)) [[likely]]
                continue;
            if (misaligned || !generic_memory(w, address, size, hint)) {
                bad_access(i, w, address, size, l, misaligned, "");
                return false;
            }
        } else {
            const std::size_t room = In == Window::shared ? block.shared_size
                                     : block.local        ? block.local_size
                                                          : 0;
            if (misaligned || address >= room || room - address < size) {
                bad_access(i, w, address, size, l, misaligned, In == Window::shared ? "shared " : "local ");
                return false;
            }
            at[l] = (In == Window::shared ? block.shared
                                          : block.local + (w.number * warp_size + l) * block.local_size) +
                    address;
        }
    }
    return true;
}

// The base of lane 0 and the distance from lane to lane, where that is the same for all 32 of them and all
// may be accessed.
template <Window In>
bool regular(const Instr *i, Warp &w, std::size_t size, char *&base, std::int64_t &step) {
    if (In == Window::local || w.exec != ~0u) return false;
    const auto *const a = w.reg<std::uint64_t>(i->a);
    const std::uint64_t by = a[1] - a[0];
    std::uint64_t other = 0;
    for (unsigned l = 1; l < warp_size; ++l) other |= (a[l] - a[l - 1]) ^ by;
    if (other) return false;
    step = static_cast<std::int64_t>(by);
    const std::uint64_t first = a[0] + i->imm, last = a[warp_size - 1] + i->imm;
    if ((first | by) & (size - 1)) return false;
    const std::uint64_t low = step < 0 ? last : first, high = step < 0 ? first : last;
    if (high < low || step > std::int64_t{1} << 40 || step < -(std::int64_t{1} << 40)) return false;
    Block &block = *w.block;
    if constexpr (In == Window::shared) {
        if (high >= block.shared_size || block.shared_size - high < size) return false;
        base = block.shared + first;
    } else {
        if (!block.worker->hints[i->hint].has(low, high - low + size)) return false;
        base = reinterpret_cast<char *>(first);
    }
    return true;
}

struct Addressed {
    std::uint32_t base;
    std::uint64_t offset;
    Window window;
};

// The operand [..] of an instruction with a space among its modifiers.
Addressed address_in(Decoder &d, const Operand &from, Window window);
Window window_of(const Decoder &d);
inline std::uint32_t new_hint(const Decoder &d) {
    return static_cast<std::uint32_t>(d.here() * 7 + d.function.line) % Worker::hint_count;
}

} // namespace pygpu::host::ptx
