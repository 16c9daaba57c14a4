// The threads of a large copy.
#include "arrays/transfer/large.hpp"

#include "arrays/memory/deferred_free.hpp"
#include "arrays/memory/pinned.hpp"
#include "arrays/streams/event_pool.hpp"
#include "runtime/api.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

namespace pygpu::arrays {
namespace {

constexpr std::size_t chunk = std::size_t{1} << 20; // small enough to stay in a cache until the bus takes it
constexpr std::size_t share = std::size_t{4} << 20; // that a thread is worth being started for

struct Work {
    const Runtime &runtime;
    int device;
    char *to;
    const char *from;
    std::size_t size;
    Direction direction;
    std::atomic<std::size_t> next{0};
    std::atomic<int> status{success};

    bool to_host() const { return direction == Direction::device_to_host; }
    void fail(int code) {
        int none = success;
        if (code) status.compare_exchange_strong(none, code);
    }
};

// A page-locked piece, and the chunk that is on its way through it.
class Piece {
public:
    Piece(Work &work, Scope &scope) : work_(work), scope_(scope) {
        if (take_pinned(work.runtime, scope, chunk, memory_)) memory_ = nullptr;
        if (memory_) take_event(work.runtime, scope, event_);
    }
    ~Piece() {
        give_event(work_.runtime, event_, work_.device);
        if (memory_ && !cache_pinned(memory_, chunk, work_.device))
            defer_free(Buffer::Kind::pinned, memory_, chunk, work_.device);
    }
    Piece(const Piece &) = delete;
    Piece &operator=(const Piece &) = delete;

    bool made() const { return event_; }

    void start(std::size_t at) {
        at_ = at;
        size_ = std::min(chunk, work_.size - at);
        void *to = memory_;
        const void *from = work_.from + at;
        if (!work_.to_host()) {
            std::memcpy(memory_, from, size_);
            to = work_.to + at;
            from = memory_;
        }
        int status = scope_(work_.runtime.copy_async(to, from, size_, work_.direction, nullptr));
        if (!status) status = scope_(work_.runtime.event_record(event_, nullptr));
        busy_ = !status;
        if (status) scope_(work_.runtime.stream_synchronize(nullptr)); // it may be under way all the same
        work_.fail(status);
    }

    void finish() {
        if (!busy_) return;
        busy_ = false;
        const int status = scope_(work_.runtime.event_synchronize(event_));
        if (status) scope_(work_.runtime.stream_synchronize(nullptr)); // so that the buffer may be reused
        if (!status && work_.to_host()) std::memcpy(work_.to + at_, memory_, size_);
        work_.fail(status);
    }

private:
    Work &work_;
    Scope &scope_;
    void *memory_ = nullptr;
    Event event_ = nullptr;
    std::size_t at_ = 0, size_ = 0;
    bool busy_ = false;
};

// Takes part in the work until none is left; false where it could not.
bool take_part(Work &work, Scope &scope) {
    if (scope.status()) return false;
    Piece pieces[2] = {{work, scope}, {work, scope}};
    if (!pieces[0].made() || !pieces[1].made()) return false;
    for (int turn = 0;; turn ^= 1) {
        pieces[turn].finish();
        const std::size_t at = work.status ? work.size : work.next.fetch_add(chunk);
        if (at >= work.size) {
            pieces[turn ^ 1].finish();
            return true;
        }
        pieces[turn].start(at);
    }
}

// Memory may be registered in part.
bool is_pageable(const Runtime &runtime, Scope &scope, const void *memory, std::size_t size) {
    bool first = false, last = false;
    // Older releases fail for ordinary memory.
    scope.expect([&] { return runtime.ask_pageable(memory, &first); });
    scope.expect([&] { return runtime.ask_pageable(static_cast<const char *>(memory) + size - 1, &last); });
    return first && last;
}

// How many threads a copy is worth; 1 or less: the runtime's own way.
int threads_for(const Runtime &runtime, std::size_t size) {
    const LargeCopies &settings = large_copies();
    if (size < settings.from || runtime.api.per_thread) return 0;
    if (settings.threads) return settings.threads;
    if (runtime.api.host) return 0;
    const std::size_t cores = std::thread::hardware_concurrency();
    return static_cast<int>(std::min({cores / 2, size / share, std::size_t{8}}));
}

} // namespace

LargeCopies &large_copies() {
    static LargeCopies settings;
    return settings;
}

int copy_and_wait(const Runtime &runtime, Scope &scope, void *to, const void *from, std::size_t size,
                  Direction direction) {
    const int threads = threads_for(runtime, size);
    const void *host = direction == Direction::device_to_host ? to : from;
    if (threads < 2 || !is_pageable(runtime, scope, host, size))
        return scope(runtime.copy(to, from, size, direction));
    Work work{runtime, scope.device(), static_cast<char *>(to), static_cast<const char *>(from),
              size,    direction};
    std::vector<std::thread> helpers;
    try {
        helpers.reserve(static_cast<std::size_t>(threads));
        for (int number = 1; number < threads; ++number) {
            helpers.emplace_back([&work] {
                try {
                    Scope own(work.runtime, work.device);
                    take_part(work, own);
                } catch (const std::exception &) { // of a thread: it would end the process
                    work.fail(out_of_memory);
                }
            });
        }
    } catch (const std::exception &) {
        // No more threads to be had: those that there are do it.
    }
    const bool took_part = take_part(work, scope);
    for (std::thread &helper : helpers) helper.join();
    if (work.status || took_part) return work.status;
    // Who takes part goes on to the end; there may have been no page-locked memory for anybody.
    return work.next < size ? scope(runtime.copy(to, from, size, direction)) : success;
}

} // namespace pygpu::arrays
