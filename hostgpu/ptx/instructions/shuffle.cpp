// What lanes of a warp do together: shfl, vote, match, redux, activemask, elect (PTX ISA, "Parallel
// Synchronization and Communication Instructions").
#include "ptx/check/handlers.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/lanes.hpp"
#include "ptx/read/decoder.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace pygpu::host::ptx {
namespace {

constexpr std::uint64_t together = 1 << 16; // in imm: lanes wait for each other at this very instruction

// What an operation reads and writes: slots of registers, and their bits; 1: a predicate.
using Slots = std::initializer_list<RegisterSlot>;

void copy_lanes(Frame &to, Frame &from, std::uint32_t lanes, Slots slots) {
    for (const RegisterSlot &one : slots) {
        char *const there = to.registers() + one.at, *const here = from.registers() + one.at;
        if (one.bits == 1) {
            auto &written = *reinterpret_cast<std::uint32_t *>(there);
            written = (written & ~lanes) | (*reinterpret_cast<const std::uint32_t *>(here) & lanes);
            continue;
        }
        const std::size_t step = one.bits / 8;
        for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
            const std::size_t at = static_cast<std::size_t>(std::countr_zero(rest)) * step;
            std::memcpy(there + at, here + at, step);
        }
    }
}

// Lanes that have called the function from several places are in several frames. Their values are gathered in
// a common frame, and the results are copied back.
template <class Body>
const Instr *across_frames(const Instr *i, Warp &w, std::uint32_t wanted, Slots in, Slots out, Body body) {
    Frame *const own = w.frame;
    const std::uint32_t exec = w.exec;
    Frame *const common = w.block->make_frame(*own->body, nullptr, nullptr, 0);
    if (!common) return w.fail(Fault::illegal_address, i, no_stack);
    std::uint32_t lanes = 0;
    w.each_gathered(i, wanted, [&](const Group &one) {
        copy_lanes(*common, *one.frame, one.mask, in);
        lanes |= one.mask;
    });
    w.exec = lanes;
    w.enter(common);
    body(lanes);
    w.exec = exec;
    w.enter(own);
    w.each_gathered(i, wanted, [&](Group &one) {
        copy_lanes(*one.frame, *common, one.mask, out);
        one.state = Group::ready;
        one.at = i + 1;
    });
    w.block->free_frame(common);
    return w.leave(Warp::Event::again, i + 1);
}

// Calls body(lanes) for each set of lanes that name the same mask in `place`, once all lanes of the mask are
// here.
template <class Body>
const Instr *gathered(const Instr *i, Warp &w, std::uint32_t place, Slots in, Slots out, Body body) {
    const auto *const masks = w.reg<std::uint32_t>(place);
    const auto same_as = [&](unsigned lane, std::uint32_t among) {
        std::uint32_t same = 0;
        for (std::uint32_t rest = among; rest; rest &= rest - 1) {
            const auto l = static_cast<unsigned>(std::countr_zero(rest));
            same |= (masks[l] == masks[lane] ? 1u : 0u) << l;
        }
        return same;
    };
    const auto first = static_cast<unsigned>(std::countr_zero(w.exec));
    const std::uint32_t same = same_as(first, w.exec);
    if (same == w.exec) {
        switch (w.gather(i, masks[first])) {
        case Warp::Gathered::missing:
            return nullptr;
        case Warp::Gathered::apart:
            return across_frames(i, w, masks[first], in, out, body);
        case Warp::Gathered::here:
            break;
        }
        body(w.exec);
        return i + 1;
    }
    for (std::uint32_t rest = w.exec; rest;) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t those = same_as(lane, rest);
        if (masks[lane] & w.live & ~those) return w.part(i, those, masks[lane]);
        rest &= ~those;
    }
    for (std::uint32_t rest = w.exec; rest;) {
        const std::uint32_t those = same_as(static_cast<unsigned>(std::countr_zero(rest)), rest);
        body(those);
        rest &= ~those;
    }
    return i + 1;
}

template <class Body> void each_of(std::uint32_t lanes, Body body) {
    for (; lanes; lanes &= lanes - 1) body(static_cast<unsigned>(std::countr_zero(lanes)));
}

void set_lanes(Warp &w, std::uint32_t place, std::uint32_t lanes, std::uint32_t bits) {
    std::uint32_t &to = w.pred(place);
    to = (to & ~lanes) | (bits & lanes);
}

// ---- shfl
enum Mode : std::uint64_t { up, down, bfly, idx };
// slots: the mask, p
const Instr *shuffle(const Instr *i, Warp &w) {
    const Slots in{{i->a, 32}, {i->b, 32}, {i->c, 32}}, out{{i->d, 32}, {i->extra->slots[1], 1}};
    return gathered(i, w, i->extra->slots[0], in, out, [&](std::uint32_t lanes) {
        auto *const d = w.reg<std::uint32_t>(i->d);
        std::uint32_t from[warp_size];
        std::copy_n(w.reg<std::uint32_t>(i->a), warp_size, from);
        const auto *const b = w.reg<std::uint32_t>(i->b), *const c = w.reg<std::uint32_t>(i->c);
        std::uint32_t within = 0, source[warp_size];
        each_of(lanes, [&](unsigned l) {
            const std::uint32_t by = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
            const std::uint32_t most = (l & segment) | (clamp & ~segment), least = l & segment;
            std::uint32_t other = l;
            bool holds = false;
            switch (i->imm & 3) {
            case up:
                other = l - by;
                holds = static_cast<std::int32_t>(other) >= static_cast<std::int32_t>(most);
                break;
            case down:
                other = l + by;
                holds = other <= most;
                break;
            case bfly:
                other = l ^ by;
                holds = other <= most;
                break;
            default:
                other = least | (by & ~segment);
                holds = other <= most;
                break;
            }
            if (!holds) other = l;
            within |= (holds ? 1u : 0u) << l;
            source[l] = other & 31;
        });
        if (auto *const checker = check::checker_of(*w.block))
            checker->shuffled(*i, w, lanes, source, w.reg<std::uint32_t>(i->extra->slots[0]),
                              (i->imm & 3) == idx);
        each_of(lanes, [&](unsigned l) { d[l] = from[source[l]]; });
        set_lanes(w, i->extra->slots[1], lanes, within);
    });
}

void decode_shuffle(Decoder &d) {
    d.branch_around();
    d.allow({"sync", "up", "down", "bfly", "idx"});
    const bool two = d.operand(1).second;
    const std::size_t at = two ? 2 : 1;
    const std::uint32_t p = two ? d.pred_out(d.operand(1)) : d.pred_out({});
    const std::uint32_t a = d.in(at, word), b = d.in(at + 1, word), c = d.in(at + 2, word);
    const std::uint32_t mask = d.has("sync") ? d.in(at + 3, word) : d.constant(0, 32);
    const std::uint32_t to = d.out(std::size_t{0}, word);
    Extra &more = d.extra();
    more.slots = {mask, p};
    check::enter_lanes(d, mask);
    Instr &instr = d.emit(shuffle);
    instr.d = to;
    instr.a = a;
    instr.b = b;
    instr.c = c;
    instr.imm = together | (d.has("up") ? up : d.has("down") ? down : d.has("bfly") ? bfly : idx);
    instr.extra = &more;
    check::leave_lanes(d, mask);
}

// ---- vote. a: the predicate, b: the mask
enum Vote : std::uint64_t { all, any, uniform, ballot };
const Instr *vote(const Instr *i, Warp &w) {
    const Slots in{{i->a, 1}}, out{{i->d, (i->imm & 3) == ballot ? 32u : 1u}};
    return gathered(i, w, i->b, in, out, [&](std::uint32_t lanes) {
        const std::uint32_t holds = w.pred(i->a) & lanes;
        switch (i->imm & 3) {
        case all:
            return set_lanes(w, i->d, lanes, holds == lanes ? ~0u : 0);
        case any:
            return set_lanes(w, i->d, lanes, holds ? ~0u : 0);
        case uniform:
            return set_lanes(w, i->d, lanes, holds == lanes || !holds ? ~0u : 0);
        default:
            each_of(lanes, [&](unsigned l) { w.reg<std::uint32_t>(i->d)[l] = holds; });
        }
    });
}

void decode_vote(Decoder &d) {
    d.branch_around();
    d.allow({"sync", "all", "any", "uni", "ballot"});
    const std::uint32_t p = d.pred_in(d.operand(1));
    const std::uint32_t mask = d.has("sync") ? d.in(2, word) : d.constant(0, 32);
    const Vote which = d.has("all") ? all : d.has("any") ? any : d.has("uni") ? uniform : ballot;
    const std::uint32_t to = which == ballot ? d.out(std::size_t{0}, word) : d.pred_out(d.operand(0));
    check::enter_lanes(d, mask);
    Instr &instr = d.emit(vote);
    instr.d = to;
    instr.a = p;
    instr.b = mask;
    instr.imm = together | which;
    check::leave_lanes(d, mask);
}

// ---- match. a: the value, b: the mask, slots: p
template <class T, bool All> const Instr *match(const Instr *i, Warp &w) {
    const auto *const masks = w.reg<std::uint32_t>(i->b);
    std::uint32_t unnamed = 0;
    each_active(w, [&](unsigned l) { unnamed |= (~masks[l] >> l & 1) << l; });
    if (unnamed) // a card's error, too
        return w.fail(Fault::illegal_instruction, i, "a lane isn't in the mask that it gives",
                      static_cast<unsigned>(std::countr_zero(unnamed)));
    constexpr unsigned bits = sizeof(T) * 8;
    const Slots in{{i->a, bits}}, out{{i->d, 32}, {i->extra->slots[0], 1}};
    return gathered(i, w, i->b, in, out, [&](std::uint32_t lanes) {
        const T *const a = w.reg<T>(i->a);
        std::uint32_t results[warp_size], same_for_all = 0;
        each_of(lanes, [&](unsigned l) {
            std::uint32_t same = 0;
            each_of(lanes, [&](unsigned other) { same |= (a[other] == a[l] ? 1u : 0u) << other; });
            results[l] = All ? same == lanes ? lanes : 0 : same;
            same_for_all |= (same == lanes ? 1u : 0u) << l;
        });
        each_of(lanes, [&](unsigned l) { w.reg<std::uint32_t>(i->d)[l] = results[l]; });
        if (All) set_lanes(w, i->extra->slots[0], lanes, same_for_all);
    });
}

void decode_match(Decoder &d) {
    d.branch_around();
    d.allow({"sync", "all", "any"});
    const Type type = d.needs_type();
    const bool whole = d.has("all"), two = d.operand(1).second;
    const std::uint32_t p = two ? d.pred_out(d.operand(1)) : d.pred_out({});
    const std::uint32_t a = d.in(two ? 2 : 1, type), mask = d.in(two ? 3 : 2, word),
                        to = d.out(std::size_t{0}, word);
    Extra &more = d.extra();
    more.slots = {p};
    check::enter_lanes(d, mask);
    Instr &instr = d.emit(type.bits == 64 ? whole ? match<std::uint64_t, true> : match<std::uint64_t, false>
                          : whole ? match<std::uint32_t, true>
                                          : match<std::uint32_t, false>);
    instr.d = to;
    instr.a = a;
    instr.b = mask;
    instr.imm = together;
    instr.extra = &more;
    check::leave_lanes(d, mask);
}

// ---- redux. a: the value, b: the mask
enum Operation : std::uint64_t { add, minimum, maximum, bit_and, bit_or, bit_xor, with_sign = 8 };
const Instr *reduce(const Instr *i, Warp &w) {
    const Slots in{{i->a, 32}}, out{{i->d, 32}};
    return gathered(i, w, i->b, in, out, [&](std::uint32_t lanes) {
        const auto *const a = w.reg<std::uint32_t>(i->a);
        std::uint32_t result = a[std::countr_zero(lanes)];
        const bool is_signed = i->imm & with_sign;
        each_of(lanes & (lanes - 1), [&](unsigned l) {
            const std::uint32_t one = a[l];
            const bool less =
                is_signed ? static_cast<std::int32_t>(one) < static_cast<std::int32_t>(result) : one < result;
            switch (i->imm & 7) {
            case add:
                result += one;
                break;
            case minimum:
                result = less ? one : result;
                break;
            case maximum:
                result = less ? result : one;
                break;
            case bit_and:
                result &= one;
                break;
            case bit_or:
                result |= one;
                break;
            default:
                result ^= one;
                break;
            }
        });
        each_of(lanes, [&](unsigned l) { w.reg<std::uint32_t>(i->d)[l] = result; });
    });
}

// The smallest or largest float. NaN counts only with .NaN: then it is the result. imm: the operation
enum : std::uint64_t { sizes = 16, nan_wins = 32 };
const Instr *reduce_floats(const Instr *i, Warp &w) {
    const Slots in{{i->a, 32}}, out{{i->d, 32}};
    return gathered(i, w, i->b, in, out, [&](std::uint32_t lanes) {
        const auto *const a = w.reg<std::uint32_t>(i->a);
        constexpr std::uint32_t nan = 0x7fffffff;
        const auto is_nan = [](std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; };
        // Floats in the order of integers: zeros have signs.
        const auto place = [](std::uint32_t bits) {
            const auto number = static_cast<std::int32_t>(bits);
            return number < 0 ? std::int32_t{-1} - static_cast<std::int32_t>(bits & 0x7fffffffu) : number;
        };
        std::uint32_t result = nan;
        bool some_nan = false;
        each_of(lanes, [&](unsigned l) {
            const std::uint32_t one = i->imm & sizes ? a[l] & 0x7fffffffu : a[l];
            some_nan |= is_nan(one);
            if (is_nan(one)) return;
            const bool less = place(one) < place(result);
            if (is_nan(result) || ((i->imm & 7) == minimum) == less) result = one;
        });
        if (some_nan && i->imm & nan_wins) result = nan;
        each_of(lanes, [&](unsigned l) { w.reg<std::uint32_t>(i->d)[l] = result; });
    });
}

void decode_reduce(Decoder &d) {
    d.branch_around();
    d.allow({"sync", "add", "min", "max", "and", "or", "xor", "abs", "NaN"});
    const Type type = d.needs_type();
    const bool real = type == Type{Type::real, 32};
    if (type.bits != 32 || (real ? !d.has("min") && !d.has("max") : type.is_float())) d.unknown();
    if (!real && (d.has("abs") || d.has("NaN"))) d.unknown();
    const std::uint32_t a = d.in(1, type), mask = d.in(2, word), to = d.out(std::size_t{0}, word);
    check::enter_lanes(d, mask);
    Instr &instr = d.emit(real ? reduce_floats : reduce);
    instr.d = to;
    instr.a = a;
    instr.b = mask;
    instr.imm = together | (type.is_signed() ? with_sign : add) | (d.has("abs") ? sizes : std::uint64_t{0}) |
                (d.has("NaN") ? nan_wins : std::uint64_t{0}) |
                (d.has("add")   ? add
                 : d.has("min") ? minimum
                 : d.has("max") ? maximum
                 : d.has("and") ? bit_and
                 : d.has("or")  ? bit_or
                                : bit_xor);
    check::leave_lanes(d, mask);
}

const Instr *active(const Instr *i, Warp &w) {
    auto *const d = w.reg<std::uint32_t>(i->d);
    const std::uint32_t lanes = w.exec;
    each(w, [=](unsigned l) { d[l] = lanes; });
    return i + 1;
}

void decode_active(Decoder &d) {
    const std::uint32_t to = d.out(std::size_t{0}, word);
    d.emit(active).d = to;
}

// elect: the lowest lane of the mask.
const Instr *elect(const Instr *i, Warp &w) {
    const Slots in{}, out{{i->d, 32}, {i->extra->slots[0], 1}};
    return gathered(i, w, i->b, in, out, [&](std::uint32_t lanes) {
        const auto leader = static_cast<std::uint32_t>(std::countr_zero(lanes));
        each_of(lanes, [&](unsigned l) { w.reg<std::uint32_t>(i->d)[l] = leader; });
        set_lanes(w, i->extra->slots[0], lanes, 1u << leader);
    });
}

void decode_elect(Decoder &d) {
    d.branch_around();
    if (!d.operand(1).second) d.unknown();
    const std::uint32_t p = d.pred_out(d.operand(1)), mask = d.in(2, word), to = d.out(std::size_t{0}, word);
    Extra &more = d.extra();
    more.slots = {p};
    check::enter_lanes(d, mask);
    Instr &instr = d.emit(elect);
    instr.d = to;
    instr.b = mask;
    instr.imm = together;
    instr.extra = &more;
    check::leave_lanes(d, mask);
}

} // namespace

std::vector<Decoding> warp_group() {
    return {{"shfl", decode_shuffle}, {"vote", decode_vote},         {"match", decode_match},
            {"redux", decode_reduce}, {"activemask", decode_active}, {"elect", decode_elect}};
}

} // namespace pygpu::host::ptx
