// A block's memory, its frames, its barriers, and turns of its warps.
#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <string_view>
#include <sys/mman.h>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_frame_bytes = std::size_t{512}
                                         << 20; // of a block: deeper calls overflow the stack

constexpr std::size_t shared_unit = 128; // an H200 faults only beyond a multiple of it
// Swizzled tiles look at their addresses' lower bits, which agree with those of the window's offsets.
constexpr std::size_t shared_alignment = 1024;

std::size_t whole_units(std::size_t size) { return (size + shared_unit - 1) / shared_unit * shared_unit; }

} // namespace

Block::Block(Launch &of, Cluster &in, std::uint32_t number)
    : launch(of), cluster(in), rank(number), threads(of.block[0] * of.block[1] * of.block[2]),
      shared_size(whole_units(of.loaded->shared_size() + of.dynamic_shared)),
      shared_used(whole_units(of.loaded->static_shared(*of.body->function) + of.dynamic_shared)),
      local_size(of.local_size), warps((threads + warp_size - 1) / warp_size) {
    shared_room_ = std::make_unique<char[]>(shared_size + shared_alignment);
    const auto begin = reinterpret_cast<std::uintptr_t>(shared_room_.get());
    shared = shared_room_.get() + (shared_alignment - begin % shared_alignment) % shared_alignment;
    if (launch.observe) observer = launch.observe(*this);
}

Block::~Block() {
    for (void *one : frames_) ::operator delete(one, std::align_val_t{64});
    if (local_room_) munmap(local_room_, local_size * threads);
}

void Block::start(Worker &by, const std::uint32_t index[3]) {
    worker = &by;
    std::copy_n(index, 3, at);
    living = threads;
    if (observer) observer->start();
    for (Barrier &one : barriers) one = {};
    for (std::uint32_t number = 0; number < warps.size(); ++number) {
        Warp &one = warps[number];
        const std::uint32_t rest = threads - number * warp_size;
        one.exists = one.live = rest >= warp_size ? ~0u : (1u << rest) - 1;
        one.number = number;
        one.block = this;
        one.groups.clear();
        std::ranges::fill(one.arrived, 0);
        one.passing = 0;
        Frame *const frame = make_frame(*launch.body, nullptr, nullptr, one.live);
        if (!frame) throw std::bad_alloc();
        one.groups.push_back({one.live, launch.body->code.data(), frame});
    }
}

std::string Block::place() const {
    return "block (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) +
           ")";
}

std::string Block::index_of(std::uint32_t thread) const {
    const std::uint32_t *const size = launch.block;
    return "(" + std::to_string(thread % size[0]) + ", " + std::to_string(thread / size[0] % size[1]) + ", " +
           std::to_string(thread / size[0] / size[1]) + ")";
}

std::string Block::place_of(std::uint32_t thread) const { return place() + ", thread " + index_of(thread); }

void Block::run(Worker &by, Progress &round) {
    worker = &by;
    for (Warp &one : warps) {
        if (one.groups.empty()) continue;
        const Warp::Turn turn = one.run();
        switch (turn) {
        case Warp::Turn::failed:
            round.failed = true;
            return;
        case Warp::Turn::asleep:
        case Warp::Turn::sliced:
            round.sliced = true;
            (turn == Warp::Turn::asleep ? round.slept : round.ran) = true;
            round.waited |= one.just_waits_;
            round.only_polled &= one.only_polls();
            break;
        case Warp::Turn::finished:
            round.runs = true;
            break;
        case Warp::Turn::blocked:
            break;
        }
        round.sleeps |= one.sleeps_;
        if (launch.stop.load(std::memory_order_relaxed)) {
            round.failed = true;
            return;
        }
    }
}

bool Block::has_ready() const {
    return std::ranges::any_of(warps, [](const Warp &one) {
        return std::ranges::any_of(one.groups,
                                   [](const Group &group) { return group.state == Group::ready; });
    });
}

// A hash of where the block's lanes are, of their registers and stacks, and of shared memory.
void Block::add_state(std::size_t &sum) const {
    const auto add = [&](const void *from, std::size_t size) {
        sum = sum * 31 + std::hash<std::string_view>{}({static_cast<const char *>(from), size});
    };
    add(shared, shared_size);
    for (const Warp &warp : warps) {
        for (const Group &group : warp.groups) {
            add(&group.at, sizeof group.at);
            add(&group.mask, sizeof group.mask);
            for (Frame *frame = group.frame; frame; frame = frame->parent)
                add(frame->registers(), frame->body->constants_at);
            for (std::uint32_t rest = local ? group.mask : 0; rest; rest &= rest - 1) {
                const std::size_t thread =
                    warp.number * warp_size + static_cast<unsigned>(std::countr_zero(rest));
                add(local + thread * local_size, group.frame->local_top);
            }
        }
    }
}

Frame *Block::make_frame(const Body &body, Frame *parent, const Instr *call, std::uint32_t mask) {
    if (free_.size() <= body.number) free_.resize(body.number + 1);
    std::vector<Frame *> &kept = free_[body.number];
    Frame *frame = nullptr;
    if (!kept.empty()) {
        frame = kept.back();
        kept.pop_back();
    } else {
        const std::size_t size = sizeof(Frame) + (body.size + 63) / 64 * 64;
        if (frame_bytes_ + size > most_frame_bytes) return nullptr;
        void *&kept_as = frames_.emplace_back(nullptr);
        void *const room = ::operator new(size, std::align_val_t{64});
        kept_as = room;
        frame_bytes_ += size;
        std::memset(room, 0, size);
        frame = static_cast<Frame *>(room);
        std::ranges::copy(body.constants, frame->registers() + body.constants_at);
    }
    frame->parent = parent;
    frame->call = call;
    frame->body = &body;
    frame->live = mask;
    frame->depth = parent ? parent->depth + 1 : 0;
    frame->local_at = parent ? (parent->local_top + 31) / 16 * 16 : 16; // a call takes 16 bytes
    frame->local_top = frame->local_at + body.local;
    frame->gaps = (parent ? parent->gaps : 0) + body.gaps;
    if (frame->stack() > launch.stack || frame->local_top > local_size || (body.local && !need_local())) {
        free_frame(frame);
        return nullptr;
    }
    return frame;
}

bool Block::need_local() {
    if (local_room_) return true;
    void *const room = mmap(nullptr, local_size * threads, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    local_room_ = room;
    local = static_cast<char *>(room);
    return true;
}

void Block::free_frame(Frame *frame) { free_[frame->body->number].push_back(frame); }

// PTX ISA, "bar{.cta}": without a count the barrier is for all threads; those that have exited don't count.
void Block::arrive(unsigned number, Warp &warp, std::uint32_t expected) {
    Barrier &one = barriers[number];
    if (observer) observer->arrive(number, warp);
    const auto lanes = static_cast<std::uint32_t>(std::popcount(warp.exec));
    one.arrived += lanes;
    if (number == cluster_barrier) cluster.arrived += lanes;
    if (!expected) return;
    one.expected = expected;
    warp.arrived[number] |= warp.exec;
    count_missing(number, warp);
}

// "The arrival count is incremented by the warp size": with a given number of threads the missing lanes of a
// warp count, too. They are added once, with the last of its groups.
void Block::count_missing(unsigned number, Warp &warp) {
    std::uint32_t &there = warp.arrived[number];
    if (!there || warp.live & ~there) return;
    barriers[number].arrived += static_cast<std::uint32_t>(std::popcount(~there));
    there = 0;
}

void Block::check_barriers() {
    for (unsigned number = 0; number < cluster_barrier; ++number) {
        const Barrier &one = barriers[number];
        if (one.arrived && one.arrived >= (one.expected ? one.expected : living)) release(number);
    }
    if (!cluster.arrived) return;
    const auto all_came = [](const Warp &warp) { return !(warp.live & ~warp.arrived[cluster_barrier]); };
    if (std::ranges::all_of(cluster.blocks,
                            [&](const auto &one) { return std::ranges::all_of(one->warps, all_came); })) {
        cluster.arrived = 0;
        for (const auto &one : cluster.blocks) one->release(cluster_barrier);
    }
}

void Block::pass(Warp &warp, std::uint32_t lanes) {
    warp.passing &= ~lanes;
    if (observer) observer->pass_late(cluster_barrier, warp, lanes);
}

void Block::release(unsigned number) {
    if (observer) observer->pass(number);
    const Barrier done = barriers[number];
    barriers[number] = {};
    for (Warp &warp : warps) {
        if (number == cluster_barrier) warp.passing = warp.arrived[number];
        warp.arrived[number] = 0;
        for (Group &group : warp.groups) {
            if (group.state != Group::at_barrier || group.barrier != number) continue;
            group.state = Group::ready;
            if (number == cluster_barrier) warp.passing &= ~group.mask;
            const Instr &at = *group.at++;
            if (!at.imm) continue;
            // A reduction: 1 and, 2 or, 3 popc.
            char *const registers = group.frame->registers();
            if (at.imm == 3) {
                auto *const to = reinterpret_cast<std::uint32_t *>(registers + at.d);
                for (unsigned lane = 0; lane < warp_size; ++lane) {
                    if (group.mask >> lane & 1) to[lane] = done.count;
                }
            } else {
                auto *const to = reinterpret_cast<std::uint32_t *>(registers + at.d);
                const bool value = at.imm == 1 ? done.all : done.any;
                *to = value ? *to | group.mask : *to & ~group.mask;
            }
        }
    }
}

} // namespace pygpu::host::ptx
