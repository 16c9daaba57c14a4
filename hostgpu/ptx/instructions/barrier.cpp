// Barriers of blocks, and fences (PTX ISA, "Parallel Synchronization and Communication Instructions: bar,
// barrier, membar, fence").
#include "ptx/check/handlers.hpp"
#include "ptx/instructions/groups.hpp"
#include "ptx/machine/lanes.hpp"
#include "ptx/read/decoder.hpp"

namespace pygpu::host::ptx {
namespace {

enum Reduction : std::uint64_t { none, all, any, count };

// a: the barrier's number, b: how many threads, where flip says so; c: a reduction's predicate.
const Instr *wait(const Instr *i, Warp &w) {
    const auto *const numbers = w.reg<std::uint32_t>(i->a), *const counts = w.reg<std::uint32_t>(i->b);
    const auto first = static_cast<unsigned>(std::countr_zero(w.exec));
    const std::uint32_t number = numbers[first], expected = i->flip ? counts[first] : 0;
    for (std::uint32_t rest = w.exec; rest; rest &= rest - 1) { // a card's error, too
        const auto l = static_cast<unsigned>(std::countr_zero(rest));
        if (numbers[l] != number || (i->flip && counts[l] != expected))
            return w.fail(Fault::illegal_instruction, i,
                          "lanes of a warp name different barriers, or numbers of threads", l);
    }
    if (number >= cluster_barrier)
        return w.fail(Fault::illegal_instruction, i, "there are 16 barriers", first);
    if (i->flip && (!expected || expected % warp_size))
        return w.fail(Fault::illegal_instruction, i, "a barrier's number of threads is no multiple of 32",
                      first);
    Barrier &barrier = w.block->barriers[number];
    if (i->imm != none) {
        const std::uint32_t holds = (w.pred(i->c) ^ i->guard) & w.exec;
        barrier.all &= holds == w.exec;
        barrier.any |= holds != 0;
        barrier.count += static_cast<std::uint32_t>(std::popcount(holds));
    }
    w.block->arrive(number, w, expected);
    const bool goes_on = i->inner != nullptr; // bar.arrive
    if (goes_on) {
        w.block->check_barriers();
        return i + 1;
    }
    const Instr *const next = w.block_at(number, i);
    w.block->check_barriers();
    return next;
}

// "Each thread must arrive at the barrier only once before the barrier completes" (PTX ISA,
// "barrier.cluster"). A cluster is one block.
const Instr *arrive_in_cluster(const Instr *i, Warp &w) {
    std::uint32_t &there = w.arrived[cluster_barrier];
    if (const std::uint32_t again = w.exec & (there | w.passing))
        return w.fail(Fault::illegal_instruction, i,
                      "a thread arrives at the cluster's barrier again, without having waited",
                      static_cast<unsigned>(std::countr_zero(again)));
    there |= w.exec;
    w.block->arrive(cluster_barrier, w, 0);
    w.block->check_barriers();
    return i + 1;
}

const Instr *wait_in_cluster(const Instr *i, Warp &w) {
    if (const std::uint32_t never = w.exec & ~(w.arrived[cluster_barrier] | w.passing))
        return w.fail(Fault::illegal_instruction, i,
                      "a thread waits at the cluster's barrier, without having arrived",
                      static_cast<unsigned>(std::countr_zero(never)));
    const std::uint32_t passing = w.exec & w.passing;
    if (!passing) return w.block_at(cluster_barrier, i);
    w.block->pass(w, passing);
    return passing == w.exec ? i + 1 : w.split(passing, i + 1, i);
}

const Instr *fence(const Instr *i, Warp &) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return i + 1;
}

// A barrier of a warp's lanes. imm is 0: any such barrier of the same mask will do.
const Instr *wait_in_warp(const Instr *i, Warp &w) {
    const auto *const masks = w.reg<std::uint32_t>(i->a);
    const auto first = static_cast<unsigned>(std::countr_zero(w.exec));
    std::uint32_t same = 0;
    each_active(w, [&](unsigned l) { same |= (masks[l] == masks[first] ? 1u : 0u) << l; });
    if (same != w.exec) return w.part(i, same, masks[first]);
    return w.gather(i, masks[first]) == Warp::Gathered::here ? i + 1 : nullptr;
}

void decode_bar(Decoder &d) {
    d.branch_around();
    if (d.has("warp")) {
        const std::uint32_t mask = d.in(0, word);
        check::enter_lanes(d, mask);
        d.emit(wait_in_warp).a = mask;
        check::leave_lanes(d, mask);
        return;
    }
    if (d.has("cluster")) {
        d.emit(d.has("arrive") ? arrive_in_cluster : wait_in_cluster);
        return;
    }
    const bool reduces = d.has("red"), arrives = d.has("arrive");
    std::size_t at = reduces ? 1 : 0;
    const std::uint32_t number = d.in(at++, word);
    // The last operand of bar.red is a predicate; a number of threads may come before it.
    const bool counted = d.count() > at + (reduces ? 1 : 0);
    const std::uint32_t threads = counted ? d.in(at++, word) : 0;
    Instr filled;
    if (reduces) {
        filled.c = d.pred_in(d.operand(at));
        filled.imm = d.has("and") ? all : d.has("or") ? any : d.has("popc") ? count : (d.unknown(), none);
        filled.d = filled.imm == count ? d.out(std::size_t{0}, word) : d.pred_out(d.operand(0));
    }
    if (arrives && !counted) d.unknown();
    Instr &instr = d.emit(wait);
    instr.a = number;
    instr.b = threads;
    instr.c = filled.c;
    instr.d = filled.d;
    instr.imm = filled.imm;
    instr.flip = counted;
    if (arrives) instr.inner = fence;
}

void decode_fence(Decoder &d) { d.emit(fence); }

} // namespace

std::vector<Decoding> barrier_group() {
    return {{"bar", decode_bar}, {"barrier", decode_bar}, {"membar", decode_fence}, {"fence", decode_fence}};
}

} // namespace pygpu::host::ptx
