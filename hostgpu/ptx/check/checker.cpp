// Races, reads of what nobody has written, accesses beyond arrays, and barriers that don't meet.
#include "ptx/check/checker.hpp"

#include "common/demangled.hpp"
#include "ptx/check/checked_access.hpp"
#include "ptx/check/names.hpp"
#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <sys/mman.h>

namespace pygpu::host::ptx::check {
namespace {

constexpr std::string_view diverged = "barrier in diverged code";
constexpr std::size_t address_count = 61; // addresses that share one seem to be ordered by each other

// Whether all lanes of a warp have to wait at the same instruction (PTX ISA, "barrier{.cta}": .aligned).
bool is_aligned(const Function &function, const Instr &at) {
    const auto entry = std::ranges::find(function.statements, at.line, &Statement::line);
    return entry == function.statements.end() || entry->op.starts_with("bar.") ||
           entry->op.find(".aligned") != std::string_view::npos;
}

} // namespace

Checker::Checker(Block &block, Reports &reports)
    : block_(block), reports_(reports), clocks_(block.threads), cells_((block.shared_size + 3) / 4),
      copies_(block.threads), by_address_(address_count), barriers_(barrier_count) {
    each_shared(block, [&](const Variable &, std::uint64_t begin, std::uint64_t length) {
        arrays_.emplace_back(begin, begin + length);
    });
    std::ranges::sort(arrays_);
}

void check_blocks(Launch &launch, Reports &reports) {
    launch.observe = [&reports](Block &block) { return std::make_unique<Checker>(block, reports); };
}

Checker::~Checker() {
    if (local_) munmap(local_, local_bytes_);
}

void Checker::start() {
    std::ranges::fill(cells_, Cell{});
    copies_.assign(copies_.size(), {});
    clocks_.restart();
    followed_ = true;
    for (auto *const all : {&by_address_, &barriers_}) {
        for (Clocks::Counts &one : *all) one.clear();
    }
    masks_.clear();
    came_.clear();
}

void Checker::split() {
    std::vector<Cell> cells(cells_.size() * unit_);
    for (std::size_t at = 0; at < cells.size(); ++at) cells[at] = cells_[at / unit_];
    cells_ = std::move(cells);
    unit_ = 1;
}

bool Checker::races(const Access &before, std::uint32_t kind, std::uint32_t thread) const {
    if (!before.at || (kind & kind_of(*before.at) & atomic)) return false;
    if (before.thread == thread) return before.clock == never && !(kind & goes_on);
    return !clocks_.ordered(thread, before.thread, before.clock);
}

// Of two writes of the same value it doesn't matter which comes first.
bool Checker::same_value(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t offset,
                         const Access &before) const {
    if (!has_value(at)) return false;
    const std::size_t size = size_of(at), step = std::max<std::size_t>(size, 2);
    const char *const values = warp.registers + at.d;
    const bool with_it = before.at == &at && before.thread / warp_size == warp.number &&
                         warp.exec >> before.thread % warp_size & 1 &&
                         before.clock == clocks_.now(before.thread);
    const char *const other = with_it ? values + before.thread % warp_size * step : block_.shared + offset;
    return !std::memcmp(values + lane * step, other, size);
}

Finding Checker::finding(std::string_view title, const Warp &warp, const Instr &at) const {
    return {title, 0, block_.launch.loaded->source_of(*warp.frame->body->function, at)};
}

Reports::Rows Checker::rows(const Instr &at, const Warp &warp, unsigned lane, std::string what) const {
    const Function &kernel = *block_.launch.body->function;
    Reports::Rows rows{{"kernel", demangled(kernel.name)},
                       {"access", std::move(what)},
                       {"by", block_.place_of(warp.number * warp_size + lane)},
                       {"at", block_.launch.loaded->place_of(*warp.frame->body->function, at)}};
    const Function &function = *warp.frame->body->function;
    if (&function != &kernel) rows.emplace_back("in", demangled(function.name));
    return rows;
}

void Checker::race(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t offset,
                   const Access &before) {
    Finding problem = finding("race in shared memory", warp, at);
    problem.kind = kind_of(at) << 8 | kind_of(*before.at);
    problem.other = block_.launch.loaded->source_of(*before.function, *before.at);
    if (!reports_.is_new(problem)) return;
    Reports::Rows details =
        rows(at, warp, lane, what_it_does(at) + ", " + shared_name(block_, offset, false));
    details.emplace_back("against",
                         what_it_does(*before.at) + " by thread " + block_.index_of(before.thread));
    details.emplace_back("at", block_.launch.loaded->place_of(*before.function, *before.at));
    details.emplace_back("why", before.clock == never ? "the thread that copies hasn't waited for it"
                                                      : "no barrier between them orders the two");
    reports_.add(problem, std::move(details));
}

void Checker::touch_shared(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t offset) {
    if (!followed_) return;
    const std::size_t size = size_of(at);
    if (unit_ > 1 && (offset % unit_ || size % unit_)) split();
    const std::uint32_t kind = kind_of(at), thread = warp.number * warp_size + lane;
    const Access now{&at, warp.frame->body->function, kind & goes_on ? never : clocks_.now(thread), thread};
    if (kind & goes_on) copies_[thread].going.push_back({copies_[thread].group, offset, size});
    bool written = false;
    const Access *against = nullptr;
    for (std::size_t index = offset / unit_, end = (offset + size) / unit_; index < end; ++index) {
        Cell &cell = cells_[index];
        written |= cell.written.at != nullptr;
        if (races(cell.written, kind, thread) &&
            !(kind & writes && same_value(at, warp, lane, offset, cell.written)))
            against = &cell.written;
        if (kind & writes) {
            for (const Access &one : cell.read) {
                if (races(one, kind, thread)) against = &one;
            }
        }
        if (against) {
            const Access before = *against;
            race(at, warp, lane, offset, before);
            against = nullptr;
        }
        if (kind & writes) {
            cell = {now, {}};
            continue;
        }
        // Two reads are kept. One that is ordered before the new read makes way for it.
        Access *to = &cell.read[1];
        for (Access &one : cell.read) {
            if (one.at && !clocks_.ordered(thread, one.thread, one.clock)) continue;
            to = &one;
            break;
        }
        *to = now;
    }
    if (!(kind & reads) || written) return;
    const Finding problem = finding("read of shared memory that nobody has written", warp, at);
    if (reports_.is_new(problem))
        reports_.add(problem,
                     rows(at, warp, lane, what_it_does(at) + ", " + shared_name(block_, offset, false)));
}

void Checker::touch_local(const Instr &at, const Warp &warp, unsigned lane, std::uint32_t owner,
                          std::uint64_t offset) {
    if (!local_) {
        local_bytes_ = block_.local_size * block_.threads;
        void *const room = mmap(nullptr, local_bytes_, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) throw std::bad_alloc();
        local_ = static_cast<char *>(room);
    }
    char *const begin = local_ + owner * block_.local_size + offset;
    const std::size_t size = size_of(at);
    if (kind_of(at) & reads && !std::memchr(begin, 1, size)) {
        const Finding problem = finding("read of local memory that was not written", warp, at);
        if (reports_.is_new(problem))
            reports_.add(problem, rows(at, warp, lane,
                                       what_it_does(at) + ", " + local_name(*warp.frame, offset, false)));
    }
    if (kind_of(at) & writes) std::memset(begin, 1, size);
}

// A byte that doesn't hold the pattern of fresh memory was written, though nobody saw it.
void Checker::touch_global(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address) {
    WriteFlags &known = block_.worker->written[at.hint];
    const std::size_t size = size_of(at);
    if (!known.piece.has(address, size)) known = block_.launch.memories->written(address);
    if (!known.flags) return;
    char *const flags = known.flags + (address - known.piece.begin);
    const std::span<const unsigned char> read{reinterpret_cast<const unsigned char *>(address), size};
    const auto unwritten = [&](const unsigned char &byte) {
        return !__atomic_load_n(flags + (&byte - read.data()), __ATOMIC_RELAXED) &&
               __atomic_load_n(&byte, __ATOMIC_RELAXED) == known.fresh;
    };
    const bool reads_it = kind_of(at) & reads;
    if (reads_it && std::ranges::all_of(read, unwritten)) {
        const Finding problem = finding("read of device memory that nobody has written", warp, at);
        if (reports_.is_new(problem))
            reports_.add(problem,
                         rows(at, warp, lane, what_it_does(at) + ", " + global_name(block_, address, size)));
    }
    if (kind_of(at) & writes) {
        for (std::size_t k = 0; k < size; ++k) __atomic_store_n(flags + k, 1, __ATOMIC_RELAXED);
    }
}

void Checker::fresh_local(const Warp &warp) {
    if (!local_) return;
    const Frame &frame = *warp.frame;
    for (std::uint32_t rest = warp.exec; rest; rest &= rest - 1) {
        const std::size_t thread = warp.number * warp_size + static_cast<unsigned>(std::countr_zero(rest));
        std::memset(local_ + thread * block_.local_size + frame.local_at, 0,
                    frame.local_top - frame.local_at);
    }
}

void Checker::order_by(const Instr &at, const Warp &warp, unsigned lane, std::uint64_t address) {
    Clocks::Counts &counts = by_address_[address / 4 % address_count];
    const std::uint32_t kind = kind_of(at);
    if (kind & reads) clocks_.acquire(warp.number, 1u << lane, counts);
    if (kind & writes) clocks_.release(warp.number, 1u << lane, counts);
}

void Checker::enter(const Warp &warp, std::uint32_t lanes, std::uint32_t mask) {
    clocks_.release(warp.number, lanes, masks_[{warp.number, mask}]);
}

void Checker::leave(const Warp &warp, std::uint32_t lanes, std::uint32_t mask) {
    clocks_.acquire(warp.number, lanes, masks_[{warp.number, mask}]);
}

void Checker::arrive(unsigned barrier, const Warp &warp) {
    clocks_.release(warp.number, warp.exec, barriers_[barrier]);
}

void Checker::pass(unsigned barrier) {
    std::uint32_t waiting = 0;
    const Group *first_of_all = nullptr;
    const Warp *first_warp = nullptr;
    for (const Warp &warp : block_.warps) {
        const Group *first = nullptr;
        for (const Group &one : warp.groups) {
            if (one.state != Group::at_barrier || one.barrier != barrier) continue;
            waiting += static_cast<std::uint32_t>(std::popcount(one.mask));
            clocks_.acquire(warp.number, one.mask, barriers_[barrier]);
            if (!first) first = &one;
            if (!first_of_all) {
                first_of_all = &one;
                first_warp = &warp;
            }
            if (first->at != one.at)
                report_divergence(warp, *first, warp, one,
                                  "all threads of a warp have to come to the same barrier instruction");
            else if (!block_.barriers[barrier].expected && first_of_all->at != one.at)
                report_divergence(*first_warp, *first_of_all, warp, one,
                                  "all threads of a block have to come to the same __syncthreads()");
            if (!block_.barriers[barrier].expected) left(warp, one);
        }
    }
    if (barrier == cluster_barrier)
        return; // lanes have continued since they arrived, and may acquire it later
    if (waiting == block_.living) clocks_.join();
    barriers_[barrier].clear();
}

// Threads that have exited aren't waited for. But those that were here before should have come again: a
// loop's condition differs between threads.
void Checker::left(const Warp &warp, const Group &waiting) {
    const Loaded &loaded = *block_.launch.loaded;
    const Function &function = *waiting.frame->body->function;
    const Finding problem{diverged, 0, loaded.source_of(function, *waiting.at)};
    std::uint32_t &came = came_[{warp.number, problem.at}];
    const std::uint32_t gone = came & ~warp.live;
    came |= waiting.mask;
    if (!gone || !is_aligned(function, *waiting.at) || !reports_.is_new(problem)) return;
    const auto thread = [&](std::uint32_t lanes) {
        return warp.number * warp_size + static_cast<unsigned>(std::countr_zero(lanes));
    };
    reports_.add(problem, {{"kernel", demangled(block_.launch.body->function->name)},
                           {"by", block_.place_of(thread(waiting.mask))},
                           {"at", loaded.place_of(function, *waiting.at)},
                           {"against", "thread " + block_.index_of(thread(gone)) + " of the same warp"},
                           {"why", "that thread was here before, but has exited instead of coming again"}});
}

void Checker::report_divergence(const Warp &warp, const Group &first, const Warp &other_warp,
                                const Group &other, const char *why) {
    const auto aligned = [](const Group &one) { return is_aligned(*one.frame->body->function, *one.at); };
    if (!aligned(first) || !aligned(other)) return;
    const Loaded &loaded = *block_.launch.loaded;
    const auto source_at = [&](const Group &one) {
        return loaded.source_of(*one.frame->body->function, *one.at);
    };
    const Finding problem{diverged, 0, source_at(first), source_at(other)};
    if (problem.at == problem.other || !reports_.is_new(problem))
        return; // copies of one line, of an unrolled loop
    const auto thread = [](const Warp &of, const Group &one) {
        return of.number * warp_size + static_cast<unsigned>(std::countr_zero(one.mask));
    };
    reports_.add(problem, {{"kernel", demangled(block_.launch.body->function->name)},
                           {"by", block_.place_of(thread(warp, first))},
                           {"at", loaded.place_of(*first.frame->body->function, *first.at)},
                           {"against", "thread " + block_.index_of(thread(other_warp, other)) +
                                           (&warp == &other_warp ? " of the same warp" : "")},
                           {"at", loaded.place_of(*other.frame->body->function, *other.at)},
                           {"why", why}});
}

void Checker::pass_late(unsigned barrier, const Warp &warp, std::uint32_t lanes) {
    clocks_.acquire(warp.number, lanes, barriers_[barrier]);
}

void Checker::end_group(const Warp &warp) {
    for (std::uint32_t rest = warp.exec; rest; rest &= rest - 1)
        ++copies_[warp.number * warp_size + static_cast<unsigned>(std::countr_zero(rest))].group;
}

void Checker::wait_for_groups(const Warp &warp, std::uint64_t but) {
    for (std::uint32_t rest = warp.exec; rest; rest &= rest - 1) {
        const std::uint32_t thread = warp.number * warp_size + static_cast<unsigned>(std::countr_zero(rest));
        Copies &own = copies_[thread];
        const auto end =
            std::ranges::find_if(own.going, [&](const auto &one) { return one.group + but >= own.group; });
        for (auto one = own.going.begin(); one != end; ++one) {
            for (std::size_t at = one->offset / unit_; at < (one->offset + one->size) / unit_; ++at) {
                Access &written = cells_[at].written;
                if (written.thread == thread && written.clock == never) written.clock = clocks_.now(thread);
            }
        }
        own.going.erase(own.going.begin(), end);
    }
}

void Checker::stuck() {
    struct WaitingThreads {
        std::uint32_t first = 0, count = 0;
        std::string what;
    };
    std::vector<std::pair<const Instr *, WaitingThreads>> places;
    const Loaded &loaded = *block_.launch.loaded;
    for (const Warp &warp : block_.warps) {
        for (const Group &one : warp.groups) {
            auto it = std::ranges::find(places, one.at, [](const auto &entry) { return entry.first; });
            if (it == places.end()) {
                const std::string at = loaded.place_of(*one.frame->body->function, *one.at);
                const std::string what =
                    one.state != Group::at_barrier   ? "lanes " + hex(one.wanted) + " of their warp"
                    : one.barrier == cluster_barrier ? "the cluster's barrier"
                                                     : "barrier " + std::to_string(one.barrier);
                const auto lane = static_cast<std::uint32_t>(std::countr_zero(one.mask));
                places.push_back({one.at, {warp.number * warp_size + lane, 0, what + ", " + at}});
                it = places.end() - 1;
            }
            it->second.count += static_cast<std::uint32_t>(std::popcount(one.mask));
        }
    }
    const Finding problem{"threads wait for others that never come"};
    if (!reports_.is_new(problem)) return;
    Reports::Rows rows{{"kernel", demangled(block_.launch.body->function->name)}};
    for (const auto &[at, one] : places) {
        if (rows.size() > 8) break;
        rows.emplace_back("by", block_.place_of(one.first) +
                                    (one.count > 1 ? " and " + std::to_string(one.count - 1) + " more" : ""));
        rows.emplace_back("wait for", one.what);
    }
    rows.emplace_back("exited", std::to_string(block_.threads - block_.living) + " of " +
                                    std::to_string(block_.threads) + " threads");
    reports_.add(problem, std::move(rows));
}

} // namespace pygpu::host::ptx::check
