// The ring of pieces, its sender, and the threads that fill or empty it.
#include "arrays/transfer/pieces.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/transfer/shared_cache.hpp"
#include "arrays/transfer/thread_pool.hpp"
#include "arrays/transfer/way.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <exception>
#include <limits>
#include <thread>

namespace pygpu::arrays {
namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

// Waits until `turn` is `wanted`, or `never`: the copy has ended.
void await(const std::atomic<std::size_t> &turn, std::size_t wanted) {
    std::size_t now = turn;
    const auto has_come = [&] {
        now = turn;
        return now == wanted || now == never;
    };
    if (look_for(has_come)) return;
    while (!has_come()) turn.wait(now);
}

// Where the parts of a copy begin. Nothing is on the bus until the first part of an upload is filled in, nor
// once the last of a download has come: those are small, one for each thread a quarter of the others, then
// one for each a half.
class Parts {
public:
    Parts(std::size_t elements, std::size_t each, std::size_t threads, bool up)
        : elements_(elements), each_(std::max<std::size_t>(each, 1)),
          small_(threads > 1 && each_ >= 4 ? threads : 0), up_(up) {
        std::size_t left = elements;
        const auto add = [&](std::size_t most, std::size_t size) {
            const std::size_t some = std::min(most, (left + size - 1) / size);
            count_ += some;
            left -= std::min(left, some * size);
        };
        if (small_) add(small_, each_ / 4), add(small_, each_ / 2);
        add(left, each_);
    }

    std::size_t count() const { return count_; }
    std::size_t largest() const { return std::min(each_, elements_); }
    std::size_t first(std::size_t part) const { return up_ ? of(part) : elements_ - of(count_ - part); }
    std::size_t size(std::size_t part) const { return first(part + 1) - first(part); }
    // Whether the bus reads a part of an upload before later ones have driven it from the cache of the thread
    // that filled it in: of the first, which are waited for, and of the last.
    bool is_read_soon(std::size_t part) const { return part < 2 * small_ || part + small_ >= count_; }

private:
    // Elements of so many parts, from the small ones on.
    std::size_t of(std::size_t parts) const {
        const std::size_t quarters = std::min(parts, small_), halves = std::min(parts - quarters, small_);
        return std::min(quarters * (each_ / 4) + halves * (each_ / 2) + (parts - quarters - halves) * each_,
                        elements_);
    }

    const std::size_t elements_, each_;
    const std::size_t small_; // parts of a quarter, and as many of a half
    const bool up_;
    std::size_t count_ = 0;
};

// A piece of memory, the event that says it was sent, and whose turn it is. The parts of a copy take the
// slots in turns: of n slots, slot 2 has the parts 2, 2 + n, ...
class Slot {
public:
    // The first slot must be made, as the copy has to go on: ordinary memory and no event will do for it.
    Slot(const Runtime &runtime, Scope &scope, std::size_t bytes, std::size_t number, bool must)
        : sent(number), bytes_(std::max(sizes::piece, bytes)), runtime_(runtime), device_(scope.device()),
          generation_(generation_of(device_)) {
        if (take_staging(runtime, scope, bytes_, memory_)) memory_ = nullptr;
        pinned_ = memory_;
        if (!memory_ && must) memory_ = std::malloc(bytes_);
        if (memory_ && take_event(runtime, scope, event_)) event_ = nullptr;
        made_ = memory_ && (event_ || must);
    }
    ~Slot() {
        if (event_ && generation_ == generation_of(device_)) give_event(runtime_, event_, device_);
        if (!pinned_)
            std::free(memory_);
        else if (!give_staging(memory_, bytes_, device_, generation_))
            defer_free(Buffer::Kind::pinned, memory_, bytes_, device_);
    }
    Slot(const Slot &) = delete;
    Slot &operator=(const Slot &) = delete;

    bool made() const { return made_; }
    char *memory() const { return static_cast<char *>(memory_); }
    Event event() const { return event_; }

    //         part k may be   when                           which says
    //     up  filled in       k - n is on the device         sent == k
    //         sent            it is filled in                moved == k + 1
    // down    sent            k - n is taken out             moved == k
    //         taken out       it is in the piece             sent == k + 1
    //
    // n is the number of slots. `sent` is the caller's, and `never` once the copy was stopped or has failed.
    std::atomic<std::size_t> sent, moved{0};

private:
    const std::size_t bytes_;
    const Runtime &runtime_;
    const int device_;
    const DeviceGeneration generation_;
    void *memory_ = nullptr;
    Event event_ = nullptr;
    bool pinned_ = false, made_ = false;
};

class Ring {
public:
    Ring(const Runtime &runtime, Scope &scope, Stream stream, char *device, const HostSide &host, bool up,
         int threads, Watch *watch)
        : runtime_(runtime), scope_(scope), stream_(stream), device_(device), host_(host), up_(up),
          watch_(watch), itemsize_(static_cast<std::size_t>(host.itemsize)),
          parts_(static_cast<std::size_t>(host.axes.elements()), piece_of(threads) / itemsize_,
                 static_cast<std::size_t>(threads), up) {
        const std::size_t most = std::min(parts_.count(), 2 * static_cast<std::size_t>(threads));
        while (slots_.size() < most) {
            const std::size_t number = slots_.size();
            slots_.emplace_back(runtime, scope, parts_.largest() * itemsize_, number, number == 0);
            if (slots_.back().made()) continue;
            slots_.pop_back();
            break;
        }
        if (up_) return;
        for (std::size_t at = 0; at < slots_.size(); ++at) { // all may be fetched, none has arrived
            slots_[at].moved = at;
            slots_[at].sent = 0;
        }
    }

    std::size_t slots() const { return slots_.size(); }

    // By a thread that helps: fills or empties until no part is left.
    void help() {
        present_.fetch_add(1, std::memory_order_relaxed);
        for (;;) {
            const std::size_t part = claimed_.fetch_add(1, std::memory_order_relaxed);
            if (part >= parts_.count() || !wait_for(part)) return;
            move(part);
        }
    }

    // By the caller: sends all, and fills or empties too while few do.
    int run() {
        if (slots_.empty()) return out_of_memory;
        // What was queued before may take long: helpers and the caller would wait for it awake.
        status_ = scope_(runtime_.stream_synchronize(stream_));
        try {
            while ((sent_ < parts_.count() || claimed_ < parts_.count()) && !status_) go_on();
        } catch (const std::exception &) {
            status_ = out_of_memory;
        }
        if (status_) {
            stop();
            // Other copies get the memory next, but something may be under way. The first call may say what
            // failed before.
            if (scope_(runtime_.stream_synchronize(stream_))) scope_(runtime_.stream_synchronize(stream_));
        }
        return status_ == stopped ? success : status_;
    }

private:
    // Does what there is to be done next.
    void go_on() {
        if (can_begin())
            begin();
        else if (begun_ > sent_ && has_come(false))
            end();
        else if (take_part())
            return;
        else if (begun_ == sent_ && begun_ < parts_.count())
            await(slot(begun_).moved, sendable(begun_)); // a helper has the next one
        else if (begun_ > sent_ && has_come(true))
            end();
        else
            std::this_thread::yield();
    }

    static constexpr int stopped = -1; // by the watch
    static constexpr int enough = 4;   // helpers: the caller sends only

    Slot &slot(std::size_t part) { return slots_[part % slots_.size()]; }
    std::size_t bytes(std::size_t part) const { return parts_.size(part) * itemsize_; }

    // The rows of the table at Slot: of `sent`, when a part may be filled in or taken out; of `moved`, when
    // it may be sent.
    std::size_t movable(std::size_t part) const { return up_ ? part : part + 1; }
    std::size_t sendable(std::size_t part) const { return up_ ? part + 1 : part; }

    // False where the copy ended instead.
    bool wait_for(std::size_t part) {
        const std::atomic<std::size_t> &turn = slot(part).sent;
        await(turn, movable(part));
        return turn != never;
    }

    void move(std::size_t part) {
        Slot &one = slot(part);
        const auto first = static_cast<ssize_t>(parts_.first(part)),
                   count = static_cast<ssize_t>(parts_.size(part));
        if (up_) {
            host_.gather(one.memory(), first, count);
            if (parts_.is_read_soon(part)) demote(one.memory(), bytes(part));
        } else {
            host_.scatter(one.memory(), first, count);
            if (watch_) watch_->add(bytes(part));
        }
        one.moved = up_ ? part + 1 : part + slots_.size();
        one.moved.notify_one();
    }

    bool can_begin() { return begun_ < parts_.count() && slot(begun_).moved == sendable(begun_); }

    void begin() {
        if (begun_ && watch_ && !watch_->go_on(scope_)) {
            status_ = stopped;
            return;
        }
        Slot &one = slot(begun_);
        char *device = device_ + parts_.first(begun_) * itemsize_;
        int status = scope_(
            runtime_.copy_async(up_ ? device : one.memory(), up_ ? one.memory() : device, bytes(begun_),
                                up_ ? Direction::host_to_device : Direction::device_to_host, stream_));
        if (!status && one.event()) status = scope_(runtime_.event_record(one.event(), stream_));
        status_ = status;
        ++begun_;
    }

    // Whether the oldest that is under way has come. `wait` says that the caller has nothing else to do.
    bool has_come(bool wait) {
        Slot &one = slot(sent_);
        if (!one.event() && !wait) return false;
        if (!one.event() || (wait && !present_)) {
            status_ = scope_(one.event() ? runtime_.event_synchronize(one.event())
                                         : runtime_.stream_synchronize(stream_));
            return !status_;
        }
        const int status = query_event(runtime_, scope_, one.event());
        if (status != not_ready) status_ = status;
        return !status;
    }

    void end() {
        Slot &one = slot(sent_);
        one.sent = up_ ? sent_ + slots_.size() : sent_ + 1;
        one.sent.notify_one();
        if (up_ && watch_) watch_->add(bytes(sent_));
        ++sent_;
    }

    // Fills or empties one, where few helpers are there or none of the rest can be sent; whether it did.
    bool take_part() {
        if (present_ >= enough && begun_ < parts_.count()) return false;
        std::size_t part = claimed_;
        if (part >= parts_.count() || slot(part).sent != movable(part) ||
            !claimed_.compare_exchange_strong(part, part + 1))
            return false;
        move(part);
        return true;
    }

    void stop() {
        for (Slot &one : slots_) {
            one.sent = never;
            one.sent.notify_all();
        }
    }

    const Runtime &runtime_;
    Scope &scope_;
    const Stream stream_;
    char *const device_;
    const HostSide &host_;
    const bool up_;
    Watch *const watch_;
    const std::size_t itemsize_;
    const Parts parts_;
    std::deque<Slot> slots_;
    std::atomic<std::size_t> claimed_{0}; // parts that are being moved, or were
    std::atomic<int> present_{0};         // helpers that came
    std::size_t begun_ = 0, sent_ = 0;    // parts that are on the bus, or were; that have come
    int status_ = success;
};

} // namespace

int copy_by_pieces(const Runtime &runtime, Scope &scope, Stream stream, char *device, const HostSide &host,
                   bool up, int threads, Watch *watch) {
    if (scope.status()) return scope.status();
    threads = std::max(threads, 1);
    try {
        Ring ring(runtime, scope, stream, device, host, up, threads, watch);
        auto help = [&ring] { ring.help(); };
        const Helpers helpers(std::min(threads, static_cast<int>(ring.slots())) - 1, help);
        return ring.run();
    } catch (const std::exception &) {
        return out_of_memory;
    }
}

} // namespace pygpu::arrays
