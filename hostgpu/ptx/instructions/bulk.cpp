// Bulk copies and reductions, st.async and red.async (PTX ISA, "Data Movement and Conversion Instructions:
// Bulk copy"). All are done at once, so that waiting for them does nothing; mbarriers count their bytes.
#include "ptx/instructions/bulk.hpp"

#include "ptx/instructions/combine.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/mbarrier.hpp"
#include "ptx/machine/memory_operand.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::ptx {
namespace {

constexpr unsigned alignment = 16; // "srcMem and dstMem must be 16-byte aligned", and so must the size

const Instr *add_offset(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint64_t>(i->d);
    const auto *const a = w.reg<std::uint64_t>(i->a);
    each(w, [=](unsigned l) { d[l] = a[l] + i->imm; });
    return i + 1;
}

// ---- copies. slots of the extra: to, from, size, mbarrier, mask of blocks, mask of bytes
enum : std::uint64_t { signals = 1, multicasts = 2, masks_bytes = 4, reduces = 8 };
constexpr unsigned operation_at = 8, type_at = 16;
enum Slot : std::size_t { to_slot, from_slot, size_slot, barrier_slot, mask_slot, bytes_slot };

Type type_in(std::uint64_t packed) {
    return {static_cast<Type::ScalarKind>(packed >> 8 & 0xff), static_cast<std::uint8_t>(packed & 0xff)};
}
std::uint64_t packed(Type type) { return type.bits | static_cast<std::uint64_t>(type.kind) << 8; }

const Instr *copy(const Instr *i, Warp &w) {
    const std::vector<std::uint32_t> &slots = i->extra->slots;
    const auto pointers = [&](Slot which) { return w.reg<std::uint64_t>(slots[which]); };
    const auto words = [&](Slot which) { return w.reg<std::uint32_t>(slots[which]); };
    w.wait_by(true);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t size = words(size_slot)[l];
        if (size % alignment)
            return w.fail(Fault::illegal_instruction, i,
                          "the size of a bulk copy must be a multiple of 16 bytes", l);
        if (!size) continue;
        const char *const from = bytes_at(i, w, l, pointers(from_slot)[l], size, alignment, false);
        if (!from) return nullptr;
        const auto put = [&](std::uint64_t at, std::uint64_t barrier) {
            char *const to = bytes_at(i, w, l, at, size, alignment, true);
            if (!to) return false;
            if (i->imm & reduces) {
                const Type type = type_in(i->imm >> type_at);
                const auto op = static_cast<Operation>(i->imm >> operation_at & 0xff);
                const Reduce reduce = reducer_of(type, op);
                for (std::size_t k = 0; k < size; k += type.bits / 8) reduce(to + k, from + k, op);
            } else if (i->imm & masks_bytes) { // bit k is of byte k of each 16
                const std::uint32_t mask = w.reg<std::uint16_t>(slots[bytes_slot])[l];
                for (std::size_t k = 0; k < size; ++k) {
                    if (mask >> k % 16 & 1) to[k] = from[k];
                }
            } else {
                std::memmove(to, from, size);
            }
            return !(i->imm & signals) || complete_bytes(i, w, l, barrier, size) != nullptr;
        };
        const std::uint64_t to = pointers(to_slot)[l],
                            barrier = i->imm & signals ? pointers(barrier_slot)[l] : 0;
        if (!(i->imm & multicasts)) {
            if (!put(to, barrier)) return nullptr;
            continue;
        }
        // "The data is copied to the same CTA-relative offset as dstMem", and so is the mbarrier's signal.
        const auto base = reinterpret_cast<std::uint64_t>(w.block->shared);
        bool may = true;
        const bool there = each_named(w, w.reg<std::uint16_t>(slots[mask_slot])[l], [&](const Block &one) {
            const auto other = reinterpret_cast<std::uint64_t>(one.shared);
            may = may && put(to - base + other, barrier - base + other);
        });
        if (!there)
            return w.fail(Fault::illegal_instruction, i, "the cluster has no block that the mask names", l);
        if (!may) return nullptr;
    }
    return i + 1;
}

constexpr Type half_word{Type::untyped, 16};

void decode_copy(Decoder &d, bool combines) {
    const bool signal = d.has("mbarrier::complete_tx::bytes");
    const bool to_shared = signal, from_shared = d.has("shared::cta") && !(signal && d.has("global"));
    const std::uint32_t to = pointer_in(d, d.operand(0), to_shared),
                        from = pointer_in(d, d.operand(1), from_shared), size = d.in(2, word);
    std::size_t next = 3;
    std::uint64_t how = 0;
    std::vector<std::uint32_t> slots{to, from, size, to, to, to};
    if (signal) {
        slots[barrier_slot] = pointer_in(d, d.operand(next++), true);
        how |= signals;
    }
    if (d.has("multicast::cluster")) {
        slots[mask_slot] = d.in(next++, half_word);
        how |= multicasts;
    }
    if (d.has("L2::cache_hint")) ++next;
    if (d.has("cp_mask")) {
        slots[bytes_slot] = d.in(next++, half_word);
        how |= masks_bytes;
    }
    if (next != d.count()) d.unknown();
    if (combines) {
        const Type type = d.needs_type();
        Operation op{};
        if (std::ranges::none_of(d.mods, [&](std::string_view mod) { return operation_named(mod, op); }) ||
            !reducer_of(type, op))
            d.unknown();
        how |= reduces | std::uint64_t{op} << operation_at | packed(type) << type_at;
    }
    Extra &more = d.extra();
    more.slots = std::move(slots);
    Instr &instr = d.emit(copy);
    instr.imm = how;
    instr.extra = &more;
}

// ---- st.async, red.async. a: where to, b: mbarrier; imm: bytes of an element, type and operation; slots:
// the values
const Instr *store_async(const Instr *i, Warp &w) {
    const auto *const to = w.reg<std::uint64_t>(i->a), *const barriers = w.reg<std::uint64_t>(i->b);
    const Type type = type_in(i->imm >> type_at);
    const auto op = static_cast<Operation>(i->imm >> operation_at & 0xff);
    const std::size_t bytes = type.bits / 8, size = bytes * i->extra->slots.size();
    const Reduce reduce = i->imm & reduces ? reducer_of(type, op) : nullptr;
    w.wait_by(true);
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        char *const at = bytes_at(i, w, l, to[l], size, size, true);
        if (!at) return nullptr;
        for (std::size_t part = 0; part < i->extra->slots.size(); ++part) {
            const char *const from = w.registers + i->extra->slots[part] + l * bytes;
            if (reduce)
                reduce(at + part * bytes, from, op);
            else
                std::memcpy(at + part * bytes, from, bytes);
        }
        if (!complete_bytes(i, w, l, barriers[l], static_cast<std::uint32_t>(size))) return nullptr;
    }
    return i + 1;
}

void emit_async(Decoder &d, bool combines) {
    if (!d.has("shared::cluster") || !d.has("mbarrier::complete_tx::bytes") || d.count() != 3) d.unknown();
    const Type type = d.needs_type();
    if (type.lanes != 1 || (type.bits != 32 && type.bits != 64)) d.unknown();
    std::uint64_t how = packed(type) << type_at;
    if (combines) {
        Operation op{};
        if (std::ranges::none_of(d.mods, [&](std::string_view mod) { return operation_named(mod, op); }) ||
            !reducer_of(type, op))
            d.unknown();
        how |= reduces | std::uint64_t{op} << operation_at;
    }
    const std::uint32_t to = pointer_in(d, d.operand(0), true), barrier = pointer_in(d, d.operand(2), true);
    std::vector<std::uint32_t> slots;
    for (const Operand *one : registers_of(d.operand(1))) slots.push_back(d.in(*one, type));
    if (slots.size() != (d.has("v4") ? 4u : d.has("v2") ? 2u : 1u)) d.unknown();
    Extra &more = d.extra();
    more.slots = std::move(slots);
    Instr &instr = d.emit(store_async);
    instr.a = to;
    instr.b = barrier;
    instr.imm = how;
    instr.extra = &more;
}

} // namespace

std::uint32_t pointer_in(Decoder &d, const Operand &from, bool in_shared) {
    const Addressed at = address_in(d, from, in_shared ? Window::cluster : Window::generic);
    if (!at.offset) return at.base;
    const std::uint32_t to = d.temporary(64);
    Instr &instr = d.emit(add_offset);
    instr.d = to;
    instr.a = at.base;
    instr.imm = at.offset;
    return to;
}

char *bytes_at(const Instr *i, Warp &w, unsigned lane, std::uint64_t at, std::size_t size,
               std::size_t aligned, bool writes) {
    AddressRange found;
    const bool misaligned = at & (aligned - 1);
    if (!misaligned && generic_memory(w, at, size, found, writes)) return reinterpret_cast<char *>(at);
    bad_access(i, w, at, size, lane, misaligned, Window::generic);
    return nullptr;
}

void decode_bulk(Decoder &d) {
    if (d.has("commit_group") || d.has("wait_group")) {
        d.emit(nothing);
        return;
    }
    if (d.has("tensor")) return decode_bulk_tensor(d);
    if (d.has("prefetch")) { // it may touch nothing that isn't there; a card doesn't fault, either
        d.emit(nothing);
        return;
    }
    decode_copy(d, d.has("reduce"));
}

void decode_async_store(Decoder &d) { emit_async(d, false); }
void decode_async_reduction(Decoder &d) { emit_async(d, true); }

} // namespace pygpu::host::ptx
