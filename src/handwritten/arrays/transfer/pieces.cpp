// The threads of a large copy, and their pieces.
#include "arrays/transfer/pieces.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/streams/event_pool.hpp"
#include "arrays/transfer/thread_pool.hpp"
#include "arrays/transfer/way.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>

namespace pygpu::arrays {
namespace {

struct Work {
    const Runtime &runtime;
    const int device_number;
    const Stream stream;
    char *const device;
    const HostSide &host;
    const bool up;
    Watch *const watch;
    const std::size_t piece; // bytes
    const std::size_t itemsize = static_cast<std::size_t>(host.itemsize);
    const std::size_t count = static_cast<std::size_t>(host.axes.elements());
    const std::size_t each = std::max<std::size_t>(piece / itemsize, 1); // elements of a piece
    std::atomic<std::size_t> next{0};
    std::atomic<int> status{success};
    std::atomic<bool> stopped{false};

    bool is_over() const { return status || stopped; }
    void fail(int code) {
        int none = success;
        if (code) status.compare_exchange_strong(none, code);
    }
};

// A piece of memory, and the elements that are on their way through it.
class Piece {
public:
    // Ordinary memory does, too, where there is no page-locked one: for the caller, who has to go on.
    Piece(Work &work, Scope &scope, bool must)
        : work_(work), scope_(scope), generation_(generation_of(work.device_number)) {
        if (take_staging(work.runtime, scope, bytes(), memory_)) memory_ = nullptr;
        pinned_ = memory_;
        if (!memory_ && must) memory_ = std::malloc(bytes());
        if (memory_ && take_event(work.runtime, scope, event_)) event_ = nullptr;
        made_ = memory_ && (event_ || must);
    }
    ~Piece() {
        if (event_) give_event(work_.runtime, event_, work_.device_number);
        if (!pinned_)
            std::free(memory_);
        else if (!give_staging(memory_, bytes(), work_.device_number, generation_))
            defer_free(Buffer::Kind::pinned, memory_, bytes(), work_.device_number);
    }
    Piece(const Piece &) = delete;
    Piece &operator=(const Piece &) = delete;

    bool made() const { return made_; }

    void start(std::size_t at) {
        at_ = at;
        count_ = std::min(work_.each, work_.count - at);
        auto *memory = static_cast<char *>(memory_);
        char *device = work_.device + at * work_.itemsize;
        if (work_.up) work_.host.gather(memory, first(), count());
        int status = scope_(work_.runtime.copy_async(
            work_.up ? device : memory, work_.up ? memory : device, count_ * work_.itemsize,
            work_.up ? Direction::host_to_device : Direction::device_to_host, work_.stream));
        if (!status && event_) status = scope_(work_.runtime.event_record(event_, work_.stream));
        busy_ = !status;
        if (status)
            scope_(work_.runtime.stream_synchronize(work_.stream)); // it may be under way all the same
        work_.fail(status);
    }

    void finish() {
        if (!busy_) return;
        busy_ = false;
        const int status = scope_(event_ ? work_.runtime.event_synchronize(event_)
                                         : work_.runtime.stream_synchronize(work_.stream));
        if (status)
            scope_(work_.runtime.stream_synchronize(work_.stream)); // so that the memory may be reused
        if (!status && !work_.up) work_.host.scatter(static_cast<char *>(memory_), first(), count());
        if (!status && work_.watch) work_.watch->add(count_ * work_.itemsize);
        work_.fail(status);
    }

private:
    std::size_t bytes() const { return std::max(sizes::piece, work_.each * work_.itemsize); }
    ssize_t first() const { return static_cast<ssize_t>(at_); }
    ssize_t count() const { return static_cast<ssize_t>(count_); }

    Work &work_;
    Scope &scope_;
    const DeviceGeneration generation_;
    void *memory_ = nullptr;
    Event event_ = nullptr;
    std::size_t at_ = 0, count_ = 0;
    bool pinned_ = false, made_ = false, busy_ = false;
};

// Takes part in the work until none is left, or it can't. The watch is the caller's.
void take_part(Work &work, Scope &scope, bool is_caller) {
    if (scope.status()) return work.fail(is_caller ? scope.status() : success);
    Piece pieces[2] = {{work, scope, is_caller}, {work, scope, is_caller}};
    if (!pieces[0].made() || !pieces[1].made()) return work.fail(is_caller ? out_of_memory : success);
    for (int turn = 0;; turn ^= 1) {
        pieces[turn].finish();
        if (is_caller && work.watch && !work.watch->go_on(scope)) work.stopped = true;
        const std::size_t at = work.is_over() ? work.count : work.next.fetch_add(work.each);
        if (at >= work.count) return pieces[turn ^ 1].finish();
        pieces[turn].start(at);
    }
}

} // namespace

int copy_by_pieces(const Runtime &runtime, Scope &scope, Stream stream, char *device, const HostSide &host,
                   bool up, int threads, Watch *watch) {
    const auto size = static_cast<std::size_t>(bytes_of(host.axes, host.itemsize));
    Work work{runtime, scope.device(), stream, device, host, up, watch, piece_of(size, threads)};
    const std::size_t pieces = (work.count + work.each - 1) / work.each;
    threads = static_cast<int>(std::min(static_cast<std::size_t>(threads), pieces));
    auto part = [&work] {
        try {
            Scope own(work.runtime, work.device_number);
            take_part(work, own, false);
        } catch (const std::exception &) { // of a thread: it would end the process
            work.fail(out_of_memory);
        }
    };
    {
        const Helpers helpers(threads - 1, part);
        take_part(work, scope, true);
    }
    return work.status;
}

} // namespace pygpu::arrays
