// The ring of pieces, its sender, and the threads that fill or empty it.
#include "arrays/transfer/pieces.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/transfer/sides.hpp"
#include "arrays/transfer/streaming_copy.hpp"
#include "arrays/transfer/thread_pool.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
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

// Page-locked memory that some neighbouring parts lie in.
class Block {
public:
    // The first block must be made, as the copy has to go on: ordinary memory will do for it.
    Block(const Runtime &runtime, Scope &scope, std::size_t bytes, bool must)
        : bytes_(bytes), device_(scope.device()), generation_(generation_of(device_)) {
        if (take_staging(runtime, scope, bytes_, memory_)) memory_ = nullptr;
        pinned_ = memory_;
        if (!memory_ && must) memory_ = std::malloc(bytes_);
    }
    ~Block() {
        if (!pinned_)
            std::free(memory_);
        else if (!give_staging(memory_, bytes_, device_, generation_))
            defer_free(Buffer::Kind::pinned, memory_, bytes_, device_);
    }
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;

    char *memory() const { return static_cast<char *>(memory_); }

private:
    const std::size_t bytes_;
    const int device_;
    const DeviceGeneration generation_;
    void *memory_ = nullptr;
    bool pinned_ = false;
};

// The events of one copy.
class Events {
public:
    Events(const Runtime &runtime, Scope &scope)
        : runtime_(runtime), scope_(scope), generation_(generation_of(scope.device())) {}
    ~Events() {
        if (generation_ != generation_of(scope_.device())) return;
        for (const Event event : taken_) give_event(runtime_, event, scope_.device());
    }
    Events(const Events &) = delete;
    Events &operator=(const Events &) = delete;

    Event take() { // null where there is none
        if (!free_.empty()) {
            const Event event = free_.back();
            free_.pop_back();
            return event;
        }
        Event event = nullptr;
        taken_.reserve(taken_.size() + 1); // so that none gets lost
        if (take_event(runtime_, scope_, event)) return nullptr;
        taken_.push_back(event);
        return event;
    }
    void give(Event event) {
        if (event) free_.push_back(event);
    }

private:
    const Runtime &runtime_;
    Scope &scope_;
    const DeviceGeneration generation_;
    std::vector<Event> taken_, free_;
};

// A copy is of parts, each of which one thread brings. They lie one after the other in the ring: of n places,
// place 2 has the parts 2, 2 + n, ... The caller alone sends them, some neighbours at a time.
//
//         part k may be   when                           which says
//     up  filled in       k - n is on the device         k < open
//         sent            it is filled in                moved == k + 1
// down    sent            k - n is taken out             moved == k
//         taken out       it is in the ring              k < open
//
// `moved` is of the part's place.
class Ring {
public:
    Ring(const Runtime &runtime, Scope &scope, Stream stream, char *device, const HostSide &host, bool up,
         const Pieces &how, Watch *watch)
        : runtime_(runtime), scope_(scope), stream_(stream), device_(device), host_(host), up_(up), how_(how),
          watch_(watch), itemsize_(static_cast<std::size_t>(host.itemsize)),
          elements_(static_cast<std::size_t>(host.axes.elements())),
          each_(std::clamp<std::size_t>(how.piece / itemsize_, 1, std::max<std::size_t>(elements_, 1))),
          count_((elements_ + each_ - 1) / each_),
          per_block_(std::max<std::size_t>(sizes::block / (each_ * itemsize_), 1)),
          packed_(is_packed(host.axes, host.itemsize)), events_(runtime, scope) {
        const std::size_t bytes = std::max(sizes::block, each_ * itemsize_);
        while (blocks_.size() < sizes::blocks && room_ < count_) {
            blocks_.emplace_back(runtime, scope, bytes, blocks_.empty());
            if (!blocks_.back().memory()) {
                blocks_.pop_back();
                break;
            }
            room_ += per_block_;
        }
        if (!room_) throw std::bad_alloc();
        room_ = std::min(room_, count_);
        places_ = std::make_unique<Place[]>(room_);
        for (std::size_t at = 0; at < room_; ++at)
            places_[at].moved = up ? 0 : at; // down: nothing to take out
        open_ = up ? room_ : 0;
    }

    std::size_t room() const { return room_; }

    // By a thread that helps: fills or empties until no part is left.
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

    // By the caller: sends all, and fills or empties too while few do.
    int run() {
        // What was queued before may take long: helpers and the caller would wait for it awake.
        status_ = scope_(runtime_.stream_synchronize(stream_));
        try {
            while (!status_ && !is_over()) go_on();
            if (!status_ && up_) finish();
        } catch (const std::exception &) {
            status_ = out_of_memory;
        }
        if (status_) {
            open_ = never;
            open_.notify_all();
            // Other copies get the memory next, but something may be under way. The first call may say what
            // failed before.
            if (scope_(runtime_.stream_synchronize(stream_))) scope_(runtime_.stream_synchronize(stream_));
        }
        return status_ == stopped ? success : status_;
    }

private:
    // Threads that look at neighbours don't wait for each other's lines of the cache.
    struct alignas(64) Place {
        Turn moved{0};
    };
    // Parts on the bus, up to `end`. Without an event they have come.
    struct Sent {
        Event event;
        std::size_t end;
    };

    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max(); // the copy has ended early
    static constexpr int stopped = -1;                                            // by the watch
    static constexpr int enough = 4; // helpers: the caller sends only

    std::size_t first(std::size_t part) const { return std::min(part * each_, elements_); }
    std::size_t bytes(std::size_t from, std::size_t end) const {
        return (first(end) - first(from)) * itemsize_;
    }
    Turn &moved(std::size_t part) { return places_[part % room_].moved; }
    char *memory(std::size_t part) {
        return blocks_[part / per_block_ % blocks_.size()].memory() + part % per_block_ * each_ * itemsize_;
    }

    // Whether a part is written past the caches. The first and the last parts of an upload always are: the
    // bus comes to them before later ones have driven them from the cache of the thread that filled them in.
    bool streams(std::size_t part) const {
        const auto threads = static_cast<std::size_t>(how_.threads);
        return packed_ && (how_.streaming || (up_ && (part < threads || part + threads >= count_)));
    }

    // Gathers rows past the caches, by way of a little memory that the thread's own cache holds: rows of 64
    // bytes went at 25 GB/s so, at 16 without (one H100). An axis that runs across the memory is gathered at
    // once, tile by tile, and one run is copied as it is.
    void gather(char *piece, ssize_t start, ssize_t count) const {
        alignas(64) char little[16 << 10];
        const Axes &axes = host_.axes;
        const bool across = axes.count > 1 && std::abs(axes.axis[axes.count - 2].from) <
                                                  std::abs(axes.axis[axes.count - 1].from);
        if (packed_ || across || itemsize_ > sizeof little) return host_.gather(piece, start, count);
        const auto most = static_cast<ssize_t>(sizeof little / itemsize_);
        for (ssize_t done = 0; done < count; done += most) {
            const ssize_t some = std::min(most, count - done);
            host_.gather(little, start + done, some);
            copy_past_caches(piece + done * host_.itemsize, little,
                             static_cast<std::size_t>(some) * itemsize_);
        }
    }

    void move(std::size_t part) {
        const auto start = static_cast<ssize_t>(first(part));
        const auto count = static_cast<ssize_t>(first(part + 1)) - start;
        char *const piece = memory(part);
        if (streams(part)) {
            char *const host = host_.data + start * host_.itemsize;
            copy_past_caches(up_ ? piece : host, up_ ? host : piece, bytes(part, part + 1));
        } else if (up_) {
            gather(piece, start, count);
        } else {
            host_.scatter(piece, start, count);
        }
        if (!up_ && watch_) watch_->add(bytes(part, part + 1));
        moved(part) = up_ ? part + 1 : part + room_;
        moved(part).notify_one();
    }

    bool is_over() const { return sent_ == count_ && (up_ || (claimed_ >= count_ && under_way_.empty())); }

    // Does what there is to be done next.
    void go_on() {
        const bool sent = send();
        if (status_) return;
        const bool came = has_come(false);
        if (sent || came || status_ || take_part()) return;
        if (!under_way_.empty()) {
            if (!has_come(true)) std::this_thread::yield();
        } else if (sent_ < count_) {
            await(moved(unsendable_), sendable(unsendable_)); // a helper has it
        }
    }

    std::size_t sendable(std::size_t part) const { return up_ ? part + 1 : part; }

    // The end of the parts to send next, at most: within a block, and down less and less in the end, since
    // nothing is on the bus while the last are taken out.
    std::size_t end_of_send() const {
        const std::size_t block_end = std::min((sent_ / per_block_ + 1) * per_block_, count_);
        if (up_) return block_end;
        const auto parts = [&](std::size_t size) {
            return std::max<std::size_t>(size / (each_ * itemsize_), 1);
        };
        const std::size_t most = parts(how_.sent);
        return std::min(block_end,
                        sent_ + std::clamp((count_ - sent_) / 2, std::min(parts(least_sent), most), most));
    }

    // Sends the next parts: up those that lie filled, down as many as are wanted. Whether it did.
    bool send() {
        if (sent_ == count_) return false;
        const std::size_t most = end_of_send();
        std::size_t end = sent_;
        while (end < most && moved(end) == sendable(end)) ++end;
        unsendable_ = end;
        if (end == sent_ || (!up_ && end < most)) return false;
        if (sent_ && watch_ && !watch_->go_on(scope_)) {
            status_ = stopped;
            return false;
        }
        char *const there = device_ + first(sent_) * itemsize_, *const here = memory(sent_);
        status_ =
            scope_(runtime_.copy_async(up_ ? there : here, up_ ? here : there, bytes(sent_, end),
                                       up_ ? Direction::host_to_device : Direction::device_to_host, stream_));
        if (status_) return false;
        // Nobody waits for the last places of an upload.
        if (!up_ || sent_ + room_ < count_) {
            const Event event = events_.take();
            under_way_.push_back({event, end});
            status_ =
                scope_(event ? runtime_.event_record(event, stream_) : runtime_.stream_synchronize(stream_));
        }
        sent_ = end;
        return !status_;
    }

    // Whether the oldest that is under way has come, and opens what waited for it. `wait` says that the
    // caller has nothing else to do.
    bool has_come(bool wait) {
        if (under_way_.empty()) return false;
        const auto [event, end] = under_way_.front();
        if (event) {
            const int status = wait && !present_ ? scope_(runtime_.event_synchronize(event))
                                                 : query_event(runtime_, scope_, event);
            if (status != not_ready) status_ = status;
            if (status) return false;
        }
        under_way_.pop_front();
        events_.give(event);
        open_ = up_ ? end + room_ : end;
        open_.notify_all();
        if (up_) tell(end);
        return true;
    }

    // Parts of an upload have arrived.
    void tell(std::size_t end) {
        if (watch_) watch_->add(bytes(told_, end));
        told_ = end;
    }

    void finish() {
        status_ = scope_(runtime_.stream_synchronize(stream_));
        if (!status_) tell(count_);
    }

    // Fills or empties one, where few helpers are there or none of the rest can be sent; whether it did.
    bool take_part() {
        if (present_ >= enough && sent_ < count_) return false;
        std::size_t part = claimed_;
        if (part >= count_ || part >= open_ || !claimed_.compare_exchange_strong(part, part + 1))
            return false;
        move(part);
        return true;
    }

    static constexpr std::size_t least_sent = std::size_t{128} << 10; // not measured alone

    const Runtime &runtime_;
    Scope &scope_;
    const Stream stream_;
    char *const device_;
    const HostSide &host_;
    const bool up_;
    const Pieces how_;
    Watch *const watch_;
    const std::size_t itemsize_, elements_, each_; // of a part, in elements
    const std::size_t count_, per_block_;          // parts
    const bool packed_;                            // the host's side is one run
    std::deque<Block> blocks_;
    std::size_t room_ = 0; // parts that the ring has places for
    std::unique_ptr<Place[]> places_;
    alignas(64) Turn open_{0};                // parts below it may be filled in or taken out
    alignas(64) Turn claimed_{0};             // parts that are being moved, or were
    alignas(64) std::atomic<int> present_{0}; // helpers that came
    std::deque<Sent> under_way_;
    Events events_;
    std::size_t sent_ = 0, unsendable_ = 0,
                told_ = 0; // parts: sent; the next that can't be; known to the watch
    int status_ = success;
};

} // namespace

int copy_by_pieces(const Runtime &runtime, Scope &scope, Stream stream, char *device, const HostSide &host,
                   bool up, const Pieces &how, Watch *watch) {
    if (scope.status()) return scope.status();
    try {
        Ring ring(runtime, scope, stream, device, host, up, how, watch);
        auto help = [&ring] { ring.help(); };
        const Helpers helpers(std::min(how.threads, static_cast<int>(ring.room())) - 1, help);
        return ring.run();
    } catch (const std::exception &) {
        return out_of_memory;
    }
}

} // namespace pygpu::arrays
