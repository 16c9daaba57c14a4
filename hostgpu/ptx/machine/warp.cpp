// Which group of a warp's lanes runs, where groups part and meet, and how they wait for each other.
#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>

namespace pygpu::host::ptx {

const Instr *Warp::fail(Fault fault, const Instr *at, const std::string &what, unsigned lane) {
    const Function &function = *frame->body->function;
    std::string text = std::string(function.name) + ", " + block->launch.loaded->place_of(function, *at);
    if (lane < warp_size) text += ", " + block->place_of(number * warp_size + lane);
    block->launch.fail(fault, text + ": " + what);
    return leave(Event::failed, at);
}

const Instr *Warp::split(std::uint32_t taken, const Instr *to, const Instr *otherwise) {
    Group other = groups[group];
    groups[group].mask &= ~taken;
    other.mask = taken;
    other.at = to;
    groups.push_back(other);
    return leave(Event::again, otherwise);
}

bool Warp::pick() {
    const auto before = [](const Group &one, const Group &other) {
        if (one.turns != other.turns) return one.turns < other.turns;
        if (one.frame->depth != other.frame->depth) return one.frame->depth > other.frame->depth;
        return one.at < other.at;
    };
    std::uint32_t best = ~0u;
    for (std::uint32_t index = 0; index < groups.size(); ++index) {
        if (groups[index].state == Group::ready && (best == ~0u || before(groups[index], groups[best])))
            best = index;
    }
    if (best == ~0u) return false;
    stop_at = nullptr;
    for (std::uint32_t index = 0; index < groups.size();) {
        Group &chosen = groups[best], &other = groups[index];
        const bool same_frame = index != best && other.state == Group::ready && other.frame == chosen.frame;
        if (same_frame && other.at == chosen.at) {
            chosen.mask |= other.mask;
            if (index != groups.size() - 1) other = groups.back();
            if (best == groups.size() - 1) best = index;
            groups.pop_back();
            index = 0;
            stop_at = nullptr;
            continue;
        }
        if (same_frame && other.at > chosen.at && (!stop_at || other.at < stop_at)) stop_at = other.at;
        ++index;
    }
    group = best;
    const Group &chosen = groups[best];
    exec = chosen.mask;
    enter(chosen.frame);
    return true;
}

bool Warp::wake_sleepers() {
    const auto now = std::chrono::steady_clock::now();
    bool runs = false;
    sleeps_ = false;
    for (Group &one : groups) {
        if (one.state == Group::asleep && one.until <= now) one.state = Group::ready;
        sleeps_ |= one.state == Group::asleep;
        runs |= one.state == Group::ready;
    }
    return runs || !sleeps_;
}

Warp::Turn Warp::run() {
    if (sleeps_ && !wake_sleepers()) return Turn::asleep;
    loops = 0;
    waits = polls = looks_outside = false;
    while (pick()) {
        for (const Instr *at = groups[group].at; at;) at = at->run(at, *this);
        switch (event_) {
        case Event::gone:
            groups.erase(groups.begin() + group);
            break;
        case Event::sliced:
            ++groups[group].turns;
            just_waits_ = waits;
            return Turn::sliced;
        case Event::failed:
            return Turn::failed;
        case Event::again:
            if (loops < most_loops()) break;
            ++groups[group].turns;
            just_waits_ = waits;
            return Turn::sliced;
        case Event::blocked:
            break;
        }
    }
    return groups.empty() ? Turn::finished : sleeps_ ? Turn::asleep : Turn::blocked;
}

void Warp::exit_lanes() {
    live &= ~exec;
    block->living -= static_cast<std::uint32_t>(std::popcount(exec));
    for (Frame *one = frame; one;) {
        Frame *const parent = one->parent;
        one->live &= ~exec;
        if (!one->live) block->free_frame(one);
        one = parent;
    }
    groups[group].mask = 0;
    recheck();
    for (unsigned barrier = 0; barrier < cluster_barrier; ++barrier) block->count_missing(barrier, *this);
    block->check_barriers();
}

void Warp::recheck() {
    for (std::size_t index = 0; index < groups.size(); ++index) {
        if (groups[index].state == Group::at_sync) wake(groups[index].at, groups[index].wanted);
    }
}

// Lets the groups continue that wait at a place for the same lanes, once all these lanes are there.
void Warp::wake(const Instr *at, std::uint32_t wanted) {
    std::uint32_t here = 0;
    const Frame *common = nullptr;
    bool apart = false;
    const bool anywhere = !at->imm; // bar.warp.sync: any of them will do
    const auto waits_there = [&](const Group &one) {
        return one.state == Group::at_sync && one.wanted == wanted &&
               (anywhere ? !one.at->imm : one.at == at);
    };
    for (const Group &one : groups) {
        if (!waits_there(one)) continue;
        here |= one.mask;
        apart |= common && one.frame != common;
        common = one.frame;
    }
    if (wanted & live & ~here) return;
    for (Group &one : groups) {
        if (!waits_there(one)) continue;
        one.state = Group::ready;
        if (anywhere)
            ++one.at;
        else if (apart)
            return; // groups of several frames never become one: this one runs it for all
    }
}

Warp::Gathered Warp::gather(const Instr *at, std::uint32_t wanted) {
    std::uint32_t here = 0;
    if (!(wanted & live & ~exec)) return Gathered::here;
    each_gathered(at, wanted, [&](const Group &one) { here |= one.mask; });
    if (at->imm && !(wanted & live & ~here)) return Gathered::apart;
    Group &mine = groups[group];
    mine.state = Group::at_sync;
    mine.wanted = wanted;
    leave(Event::blocked, at);
    wake(at, wanted);
    return Gathered::missing;
}

const Instr *Warp::part(const Instr *at, std::uint32_t lanes, std::uint32_t wanted) {
    Group other = groups[group];
    groups[group].mask &= ~lanes;
    other.mask = lanes;
    other.at = at;
    other.state = Group::at_sync;
    other.wanted = wanted;
    groups.push_back(other);
    wake(at, wanted);
    return leave(Event::again, at);
}

} // namespace pygpu::host::ptx
