// mov with its packing and unpacking, and addresses (PTX ISA, "mov", "cvta", "isspacep").
#include "ptx/instructions/groups.hpp"
#include "ptx/instructions/operations.hpp"
#include "ptx/instructions/special_registers.hpp"
#include "ptx/machine/cluster_window.hpp"

#include <algorithm>

namespace pygpu::host::ptx {
namespace {

constexpr Type address{Type::natural, 64};

struct Same {
    template <class T> static T of(T a) { return a; }
};

const Instr *move_pred(const Instr *i, Warp &w) {
    set_pred(w, i->d, w.pred(i->a));
    return i + 1;
}

struct Large {
    std::uint64_t low, high;
};
const Instr *move_large(const Instr *i, Warp &w) {
    auto *const d = w.reg<Large>(i->d);
    const auto *const a = w.reg<Large>(i->a);
    each(w, [=](unsigned l) { d[l] = a[l]; });
    return i + 1;
}

// mov.b64 d, {a, b}: parts of so many bytes (imm) at extra's slots, the lowest first.
const Instr *pack(const Instr *i, Warp &w) {
    const std::size_t size = i->imm, count = i->extra->slots.size();
    each_active(w, [&](unsigned l) {
        for (std::size_t part = 0; part < count; ++part)
            __builtin_memcpy(w.registers + i->d + l * size * count + part * size,
                             w.registers + i->extra->slots[part] + l * size, size);
    });
    return i + 1;
}
const Instr *unpack(const Instr *i, Warp &w) {
    const std::size_t size = i->imm, count = i->extra->slots.size();
    each_active(w, [&](unsigned l) {
        for (std::size_t part = 0; part < count; ++part)
            __builtin_memcpy(w.registers + i->extra->slots[part] + l * size,
                             w.registers + i->a + l * size * count + part * size, size);
    });
    return i + 1;
}

// Bytes of a 16-bit word are in registers of 16 bits.
template <bool Packs> const Instr *bytes(const Instr *i, Warp &w) {
    const std::size_t count = i->extra->slots.size();
    each_active(w, [&](unsigned l) {
        for (std::size_t part = 0; part < count; ++part) {
            char *const whole =
                w.registers + (Packs ? i->d : i->a) + l * std::max<std::size_t>(count, 2) + part;
            auto *const one = w.reg<std::uint16_t>(i->extra->slots[part]) + l;
            if (Packs)
                *whole = static_cast<char>(*one);
            else
                *one = static_cast<unsigned char>(*whole);
        }
    });
    return i + 1;
}

void decode_vector_move(Decoder &d, Type type, bool packs) {
    const Operand &parts = d.operand(packs ? 1 : 0);
    const std::size_t count = parts.parts.size();
    if ((count != 2 && count != 4) || type.width() % (8 * count)) d.unknown();
    const Type part{Type::untyped, static_cast<std::uint8_t>(type.width() / count)};
    Extra &more = d.extra();
    std::uint32_t whole = 0;
    if (packs) {
        for (const Operand &one : parts.parts) more.slots.push_back(d.in(one, part));
        whole = d.out(std::size_t{0}, type);
    } else {
        whole = d.in(1, type);
        for (const Operand &one : parts.parts) more.slots.push_back(d.out(one, part));
    }
    const bool small = part.bits == 8;
    Instr &instr = d.emit(packs ? small ? bytes<true> : pack : small ? bytes<false> : unpack);
    (packs ? instr.d : instr.a) = whole;
    instr.imm = part.bits / 8;
    instr.extra = &more;
}

// mov.v4.u32 {..}, %tid, and such of vectors. All is read before anything is written.
void decode_elements(Decoder &d, Type type) {
    const auto move = [&](std::uint32_t to, std::uint32_t from) {
        Instr &instr = d.emit(unary_of_width<Same>(type.width()));
        instr.d = to;
        instr.a = from;
    };
    const std::size_t count = d.has("v2") ? 2 : 4;
    const Operand &to = d.operand(0), &from = d.operand(1);
    const bool special = from.kind == Operand::special;
    if (type.width() < 16 || type.width() > 64 || to.kind != Operand::vector || to.parts.size() != count ||
        !(special || (from.kind == Operand::vector && from.parts.size() == count)))
        d.unknown();
    std::vector<std::uint32_t> read;
    for (std::size_t part = 0; part < count; ++part) {
        read.push_back(d.temporary(type.width()));
        if (special)
            emit_special(d, std::string(from.name) + "." + "xyzw"[part], read.back(), type.width());
        else
            move(read.back(), d.in(from.parts[part], type));
    }
    for (std::size_t part = 0; part < count; ++part) move(d.out(to.parts[part], type), read[part]);
}

void decode_mov(Decoder &d) {
    d.allow({"v2", "v4"});
    const Type type = d.needs_type();
    if (d.has("v2") || d.has("v4")) return decode_elements(d, type);
    if (type.kind == Type::predicate) {
        const std::uint32_t a = d.pred_in(d.operand(1)), to = d.pred_out(d.operand(0));
        Instr &instr = d.emit(move_pred);
        instr.d = to;
        instr.a = a;
        return;
    }
    if (d.operand(1).kind == Operand::vector) return decode_vector_move(d, type, true);
    if (d.operand(0).kind == Operand::vector) return decode_vector_move(d, type, false);
    const unsigned bits = type.width();
    const std::uint32_t a = d.in(1, type), to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(bits == 128 ? move_large : unary_of_width<Same>(bits < 16 ? 16 : bits));
    instr.d = to;
    instr.a = a;
}

// ---- addresses: generic and global ones are the host's, shared and local ones count from the window's start
template <class To, class From> const Instr *move_base(const Instr *i, Warp &w) {
    To *const d = w.reg<To>(i->d);
    const From *const a = w.reg<From>(i->a);
    const bool shared = i->imm & 1, to_window = i->imm & 2;
    const Block &block = *w.block;
    const std::uint32_t first = w.number * warp_size;
    if (shared && block.cluster.blocks.size() > 1) { // the address may be another block's
        each_active(w, [&](unsigned l) {
            const auto address = static_cast<std::uint64_t>(a[l]);
            const Block *const owner = to_window ? block.cluster.owner(address, 1) : nullptr;
            d[l] = static_cast<To>(
                owner       ? cluster_address(block, *owner,
                                              static_cast<std::uint32_t>(
                                            address - reinterpret_cast<std::uint64_t>(owner->shared)))
                : to_window ? address - reinterpret_cast<std::uint64_t>(block.shared)
                            : host_address(block, static_cast<std::uint32_t>(address)));
        });
        return i + 1;
    }
    each_active(w, [&](unsigned l) {
        const std::uint64_t base = reinterpret_cast<std::uint64_t>(
            shared ? block.shared : block.local + (first + l) * block.local_size);
        d[l] = static_cast<To>(to_window ? a[l] - base : a[l] + base);
    });
    return i + 1;
}

void decode_cvta(Decoder &d) {
    d.allow({"to", "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param",
             "param::entry"});
    const Type type = d.needs_type();
    const bool shared = d.has("shared") || d.has("shared::cta") || d.has("shared::cluster"),
               local = d.has("local");
    const std::uint32_t a = d.in(1, type), to = d.out(std::size_t{0}, type);
    if (type.bits != 64) d.unknown("addresses of 32 bits aren't generic");
    Instr &instr =
        d.emit(shared || local ? move_base<std::uint64_t, std::uint64_t> : unary<std::uint64_t, Same>);
    instr.d = to;
    instr.a = a;
    instr.imm = (shared ? 1u : 0u) | (d.has("to") ? 2u : 0u);
}

enum Where : std::uint64_t { in_shared, in_cluster, in_local, in_const, in_global };
const Instr *is_space(const Instr *i, Warp &w) {
    const auto *const a = w.reg<std::uint64_t>(i->a);
    const Block &block = *w.block;
    std::uint32_t bits = 0;
    each_active(w, [&](unsigned l) {
        const auto within = [&](const char *begin, std::size_t size) {
            return begin && a[l] - reinterpret_cast<std::uint64_t>(begin) < size;
        };
        const bool shared = within(block.shared, block.shared_size),
                   near = shared || block.cluster.owner(a[l], 1);
        const bool local = within(block.local, block.local_size * block.threads);
        const bool holds = i->imm == in_shared    ? shared
                           : i->imm == in_cluster ? near
                           : i->imm == in_local   ? local
                                                  : i->imm == in_global && !near && !local;
        bits |= (holds ? 1u : 0u) << l;
    });
    set_pred(w, i->d, bits);
    return i + 1;
}

void decode_is_space(Decoder &d) {
    const bool shared = d.has("shared") || d.has("shared::cta");
    const Where where = shared                     ? in_shared
                        : d.has("shared::cluster") ? in_cluster
                        : d.has("local")           ? in_local
                        : d.has("global")          ? in_global
                        : d.has("const")           ? in_const
                                                   : (d.unknown(), in_const);
    const std::uint32_t a = d.in(1, address), to = d.pred_out(d.operand(0));
    Instr &instr = d.emit(is_space);
    instr.d = to;
    instr.a = a;
    instr.imm = where;
}

// ---- clusters: the same place in another block's shared memory (PTX ISA, "mapa"), and the rank of the block
// that an address is of ("getctarank"). Without .shared::cluster addresses are generic.
template <class T, bool InWindow> const Instr *map_address(const Instr *i, Warp &w) {
    T *const d = w.reg<T>(i->d);
    const T *const a = w.reg<T>(i->a);
    const auto *const ranks = w.reg<std::uint32_t>(i->b);
    const Block &own = *w.block;
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        if (ranks[l] >= own.cluster.blocks.size())
            return w.fail(Fault::illegal_instruction, i, "mapa: the cluster has no block of that rank", l);
        const Block &of = *own.cluster.blocks[ranks[l]];
        if constexpr (InWindow) {
            d[l] = cluster_address(own, of, static_cast<std::uint32_t>(a[l]) & offset_mask);
        } else {
            const Block *const from = own.cluster.owner(a[l], 1);
            if (!from) return w.fail(Fault::illegal_instruction, i, "mapa: no address of shared memory", l);
            d[l] = a[l] - reinterpret_cast<std::uint64_t>(from->shared) +
                   reinterpret_cast<std::uint64_t>(of.shared);
        }
    }
    return i + 1;
}

void decode_map(Decoder &d) {
    d.allow({"shared::cluster"});
    const Type type = d.needs_type();
    const bool window = d.has("shared::cluster"), wide = type.bits == 64;
    if (!window && !wide) d.unknown("addresses of 32 bits aren't generic");
    const std::uint32_t a = d.in(1, type), b = d.in(2, word), to = d.out(std::size_t{0}, type);
    Instr &instr = d.emit(!window ? map_address<std::uint64_t, false>
                          : wide  ? map_address<std::uint64_t, true>
                                  : map_address<std::uint32_t, true>);
    instr.d = to;
    instr.a = a;
    instr.b = b;
}

// imm: whether addresses are of the window.
template <class T> const Instr *rank_of(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const T *const a = w.reg<T>(i->a);
    each_active(w, [&](unsigned l) {
        const Block *const of =
            i->imm ? block_at(*w.block, static_cast<std::uint32_t>(a[l])) : w.block->cluster.owner(a[l], 1);
        d[l] = of ? of->rank : 0;
    });
    return i + 1;
}

void decode_rank(Decoder &d) {
    d.allow({"shared::cluster"});
    const Type type = d.needs_type();
    const bool window = d.has("shared::cluster"), wide = type.bits == 64;
    if (!window && !wide) d.unknown("addresses of 32 bits aren't generic");
    const std::uint32_t a = d.in(1, type), to = d.out(std::size_t{0}, word);
    Instr &instr = d.emit(wide ? rank_of<std::uint64_t> : rank_of<std::uint32_t>);
    instr.d = to;
    instr.a = a;
    instr.imm = window;
}

} // namespace

std::vector<Decoding> move_group() {
    return {{"mov", decode_mov},
            {"cvta", decode_cvta},
            {"isspacep", decode_is_space},
            {"mapa", decode_map},
            {"getctarank", decode_rank}};
}

} // namespace pygpu::host::ptx
