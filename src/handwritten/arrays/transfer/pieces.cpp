// The ring of pieces, its sender, and the threads that fill or empty it.
//
// The runtimes copy ordinary memory through page-locked pieces with one thread, which is slower than the bus.
// Here several threads copy between the caller's memory and the pieces, while other pieces are on the bus. If
// a side is strided, they copy element by element. Only the caller's thread calls the runtime, in the order
// of the parts. So it doesn't matter whether each thread has its own default stream, and no thread waits for
// another in the driver.
#include "arrays/machine/thread_pool.hpp"
#include "arrays/transfer/copy_path.hpp"
#include "arrays/transfer/engine.hpp"
#include "arrays/transfer/host.hpp"
#include "arrays/transfer/recorded_event.hpp"
#include "arrays/transfer/rectangles.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace pygpu::arrays {
namespace {

using Turn = std::atomic<std::size_t>;

// Waits until `turn` is at least `wanted`.
void await(const Turn &turn, std::size_t wanted) {
    std::size_t now = turn;
    const auto has_come = [&] { return (now = turn) >= wanted; };
    if (look_for(has_come)) return;
    while (!has_come()) turn.wait(now);
}

// Counts the copies by pieces that are under way.
class Crowd {
public:
    Crowd() : size(copies.fetch_add(1, std::memory_order_relaxed) + 1) {}
    ~Crowd() { copies.fetch_sub(1, std::memory_order_relaxed); }
    Crowd(const Crowd &) = delete;
    Crowd &operator=(const Crowd &) = delete;

    const int size; // with this one

private:
    static inline std::atomic<int> copies{0};
};

// With many copies at once, each goes by its own thread and makes few calls of the driver: the processors are
// busy with the other copies, and the driver makes one call after the other.
Pieces alone_in_a_crowd(Pieces how, const Crowd &crowd, bool up) {
    if (crowd.size < crowds::least || how.threads <= 1) return how;
    how.threads = 1;
    how.piece = how.sent = up ? crowds::piece_up : crowds::piece_down;
    return how;
}

// A copy consists of parts. One thread copies each part to or from the ring. The parts have their slots in
// the ring one after the other: of n slots, slot 2 gets the parts 2, 2 + n, ... Only the caller sends parts
// over the bus, some neighbours at a time.
//
//         part k may be   when                           this is known by
//     up  filled in       k - n is on the device         k < open
//         sent            it is filled in                moved == k + 1
// down    sent            k - n is taken out             moved == k
//         taken out       it is in the ring              k < open
//
// `moved` belongs to the part's slot.
class PieceRing {
public:
    PieceRing(Job &job, bool up, char *device, char *host, const Axes &axes)
        : job_(job), up_(up), device_(device), host_(host), axes_(axes),
          size_(static_cast<std::size_t>(axes.size())), packed_(is_packed(axes)),
          how_(alone_in_a_crowd(pieces_of(size_, up, !packed_, job.runtime.api.host), crowd_, up)),
          each_(std::min(how_.piece, size_)), count_((size_ + each_ - 1) / each_),
          per_block_(std::max<std::size_t>(sizes::block / each_, 1)) {
        const std::size_t bytes = std::max(sizes::block, each_);
        while (blocks_.size() < sizes::blocks && room_ < count_) {
            // The copy needs at least one block, so for the first one ordinary memory will do, too.
            char *memory = room_ ? staging_.take_pinned(job.runtime, job.scope, bytes, bytes)
                                 : staging_.take(job.runtime, job.scope, bytes, bytes);
            if (!memory) break;
            blocks_.push_back(memory);
            room_ += per_block_;
        }
        if (!room_) throw std::bad_alloc();
        room_ = std::min(room_, count_);
        slots_ = std::make_unique<Slot[]>(room_);
        for (std::size_t at = 0; at < room_; ++at)
            slots_[at].moved = up ? 0 : at; // down: the slot is free for its first part
        open_ = up ? room_ : 0;
    }

    int helpers() const { return std::min(how_.threads, static_cast<int>(room_)) - 1; }

    // Call this first. Earlier work on the stream may still write the host's memory. It may also take long,
    // and helpers and caller would spin while they wait for it.
    int begin() { return status_ = up_ || helpers() ? job_.synchronize() : success; }

    // Called by helping threads: fills or empties parts until none is left.
    void help() {
        present_.fetch_add(1, std::memory_order_relaxed);
        for (;;) {
            const std::size_t part = claimed_.fetch_add(1, std::memory_order_relaxed);
            if (part >= count_) return;
            await(open_, part + 1);
            if (open_ == never) return;
            move(part);
        }
    }

    // Called by the caller's thread: sends all parts. While there are few helpers, it also fills or empties
    // parts.
    int run() {
        try {
            while (!status_ && !is_over()) go_on();
            if (!status_ && up_) status_ = job_.synchronize();
            if (!status_ && up_) report(count_);
        } catch (const std::exception &) {
            status_ = job_.runtime.codes.out_of_memory;
        }
        if (status_) {
            open_ = never;
            open_.notify_all();
            job_.synchronize(); // before the memory goes to other copies
        }
        return status_ == stopped ? success : status_;
    }

private:
    static constexpr ssize_t line = 64; // of the caches

    // Aligned, so that threads that use neighbouring slots don't share a cache line.
    struct alignas(line) Slot {
        Turn moved{0};
    };
    // Parts that are on the bus, up to `end`. If the event could not be recorded, they have arrived already.
    struct Sent {
        Sent(Job &job, std::size_t end) : event(job.scope, job.stream), end(end) {}

        RecordedEvent event;
        std::size_t end;
    };

    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max(); // the copy has ended early
    static constexpr int stopped = -1; // the watch stopped the copy
    static constexpr int enough = 4;   // with this many helpers the caller only sends

    std::size_t first(std::size_t part) const { return std::min(part * each_, size_); }
    std::size_t bytes(std::size_t from, std::size_t end) const { return first(end) - first(from); }
    Turn &moved(std::size_t part) { return slots_[part % room_].moved; }
    char *memory(std::size_t part) {
        return blocks_[part / per_block_ % blocks_.size()] + part % per_block_ * each_;
    }

    // Whether a part is written past the caches. The first and the last parts of an upload always are. The
    // bus reads them before later parts have pushed them out of the cache of the thread that filled them.
    bool streams(std::size_t part) const {
        const auto threads = static_cast<std::size_t>(how_.threads);
        return how_.streaming || (up_ && (part < threads || part + threads >= count_));
    }

    // Whether elements that are neighbours on the device lie apart on the host, so that each shares a cache
    // line with other elements there.
    bool runs_across() const {
        const Axis *last = axes_.axis + axes_.count - 1;
        if (last->from == 1) {
            if (last->extent >= line) return false;
            --last;
        }
        return last > axes_.axis && std::abs(last[-1].from) < std::abs(last->from);
    }

    // Fills or empties a piece of strided memory. Rows are gathered into a little memory that fits into the
    // thread's own cache, and written past the caches from there: rows of 64 bytes went at 25 GB/s this way,
    // at 16 without (one H100). Elements that run across the rows are gathered directly, tile by tile.
    void copy_strided(char *piece, ssize_t start, ssize_t size) const {
        alignas(line) char little[16 << 10];
        if (!up_ || runs_across()) return copy_range(up_, piece, host_, axes_, start, size);
        for (ssize_t done = 0, some = 0; done < size; done += some) {
            some = std::min<ssize_t>(sizeof little, size - done);
            copy_range(true, little, host_, axes_, start + done, some);
            copy_past_caches(piece + done, little, static_cast<std::size_t>(some));
        }
    }

    void move(std::size_t part) {
        const std::size_t start = first(part), size = bytes(part, part + 1);
        char *const piece = memory(part), *const run = host_ + start; // used if the host's side is one run
        char *const to = up_ ? piece : run;
        const char *const from = up_ ? run : piece;
        if (!packed_)
            copy_strided(piece, static_cast<ssize_t>(start), static_cast<ssize_t>(size));
        else if (streams(part))
            copy_past_caches(to, from, size);
        else
            std::memcpy(to, from, size);
        if (!up_ && job_.watch) job_.watch->add(size);
        moved(part) = up_ ? part + 1 : part + room_;
        moved(part).notify_one();
    }

    bool is_over() const { return sent_ == count_ && (up_ || (claimed_ >= count_ && under_way_.empty())); }

    // Does the next step: sends, opens slots, moves a part, or waits.
    void go_on() {
        const bool sent = send();
        if (status_) return;
        const bool came = has_come(false);
        if (sent || came || status_ || take_part()) return;
        if (!under_way_.empty()) {
            if (!has_come(true)) std::this_thread::yield();
        } else if (sent_ < count_) {
            await(moved(unsendable_), sendable(unsendable_)); // a helper is moving it
        }
    }

    std::size_t sendable(std::size_t part) const { return up_ ? part + 1 : part; }

    // The end of the parts that may be sent next. They lie within one block. Downloads send fewer and fewer
    // parts towards the end, since the bus is idle while the last parts are taken out.
    std::size_t end_of_send() const {
        const std::size_t block_end = std::min((sent_ / per_block_ + 1) * per_block_, count_);
        if (up_) return block_end;
        const auto parts = [&](std::size_t size) { return std::max<std::size_t>(size / each_, 1); };
        const std::size_t most = parts(how_.sent);
        return std::min(block_end,
                        sent_ + std::clamp((count_ - sent_) / 2, std::min(parts(least_sent), most), most));
    }

    // Sends the next parts: of an upload those that are filled, of a download as many as are wanted. Whether
    // it did.
    bool send() {
        if (sent_ == count_) return false;
        const std::size_t most = end_of_send();
        std::size_t end = sent_;
        while (end < most && moved(end) == sendable(end)) ++end;
        unsendable_ = end;
        if (end == sent_ || (!up_ && end < most)) return false;
        if (sent_ && !job_.goes_on()) {
            status_ = stopped;
            return false;
        }
        status_ =
            job_.cross(up_, device_ + first(sent_), memory(sent_), static_cast<ssize_t>(bytes(sent_, end)));
        if (status_) return false;
        // The last parts of an upload need no event: nobody waits for their slots.
        if (!up_ || sent_ + room_ < count_) {
            under_way_.emplace_back(job_, end);
            if (under_way_.back().event.status()) status_ = job_.synchronize();
        }
        sent_ = end;
        return !status_;
    }

    // Whether the oldest parts under way have arrived; if so, opens the parts that waited for them. `wait`
    // says that the caller has nothing else to do.
    bool has_come(bool wait) {
        if (under_way_.empty()) return false;
        const auto &[event, end] = under_way_.front();
        if (!event.status()) {
            const int status = event.ask(job_.scope, wait && !present_);
            if (status != job_.runtime.codes.not_ready) status_ = status;
            if (status) return false;
        }
        if (up_) report(end);
        open_ = up_ ? end + room_ : end;
        open_.notify_all();
        under_way_.pop_front();
        return true;
    }

    // Reports to the watch that parts of an upload have arrived. Parts below `open_ - room_` were reported
    // before.
    void report(std::size_t end) {
        if (job_.watch) job_.watch->add(bytes(open_ - room_, end));
    }

    // Fills or empties one part, if there are few helpers or all parts are sent. Whether it did.
    bool take_part() {
        if (present_ >= enough && sent_ < count_) return false;
        std::size_t part = claimed_;
        if (part >= count_ || part >= open_ || !claimed_.compare_exchange_strong(part, part + 1))
            return false;
        move(part);
        return true;
    }

    static constexpr std::size_t least_sent = std::size_t{128} << 10; // not measured alone

    Job &job_;
    const Crowd crowd_;
    const bool up_;
    char *const device_;
    char *const host_;
    const Axes &axes_;
    const std::size_t size_;
    const bool packed_; // the host's side is one run
    const Pieces how_;
    const std::size_t each_;              // bytes of a part
    const std::size_t count_, per_block_; // parts
    StagingBuffer staging_;
    std::vector<char *> blocks_; // page-locked memory, in which some neighbouring parts lie
    std::size_t room_ = 0;       // parts that the ring has slots for
    std::unique_ptr<Slot[]> slots_;
    alignas(line) Turn open_{0};                // parts below it may be filled in or taken out
    alignas(line) Turn claimed_{0};             // parts that are being moved, or were
    alignas(line) std::atomic<int> present_{0}; // helpers that came
    std::deque<Sent> under_way_;
    std::size_t sent_ = 0, unsendable_ = 0; // the number of parts sent; the first part that can't be sent yet
    int status_ = success;
};

} // namespace

int copy_by_pieces(Job &job, bool up, char *device, char *host, const Axes &axes) {
    if (job.scope.status()) return job.scope.status();
    try {
        PieceRing ring(job, up, device, host, axes);
        auto help = [&ring] { ring.help(); };
        const Helpers helpers(ring.begin() ? 0 : ring.helpers(), help);
        return ring.run();
    } catch (const std::exception &) {
        return job.runtime.codes.out_of_memory;
    }
}

} // namespace pygpu::arrays
