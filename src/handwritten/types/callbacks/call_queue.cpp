// The queue, and the thread that empties it.
#include "types/callbacks/call_queue.hpp"

#include "python/callback.hpp"
#include "types/callbacks/callable.hpp"
#include "types/callbacks/registry.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

namespace pygpu {
namespace {

constexpr std::size_t at_once = 64; // calls, each time that the thread takes the GIL

struct CallQueue {
    std::mutex mutex; // never held while Python code can run
    std::condition_variable filled, emptied;
    std::deque<Token> waiting;
    bool busy = false;
    bool started = false; // guarded by the GIL
};

CallQueue &queue() {
    static auto *only = new CallQueue; // C may call until the process ends
    return *only;
}

struct Batch {
    std::array<Token, at_once> tokens;
    std::size_t count;
};

Batch take(CallQueue &all) {
    std::unique_lock lock(all.mutex);
    all.busy = false;
    if (all.waiting.empty()) all.emptied.notify_all();
    all.filled.wait(lock, [&] { return !all.waiting.empty(); });
    Batch batch;
    batch.count = std::min(at_once, all.waiting.size());
    std::copy_n(all.waiting.begin(), batch.count, batch.tokens.begin());
    all.waiting.erase(all.waiting.begin(), all.waiting.begin() + static_cast<std::ptrdiff_t>(batch.count));
    all.busy = true;
    return batch;
}

void make_calls() {
    for (;;) {
        Batch batch = take(queue());
        enter_python([&] {
            for (std::size_t at = 0; at < batch.count; ++at) {
                Called called = recall(batch.tokens[at]);
                if (called.callable) call_from_c(called, nullptr, 0);
                forget(batch.tokens[at]); // the hold of queue_call()
            }
        });
    }
}

} // namespace

bool start_call_queue() {
    CallQueue &all = queue();
    if (all.started) return true;
    sigset_t every, before;
    sigfillset(&every); // Python's main thread gets the signals
    pthread_sigmask(SIG_SETMASK, &every, &before);
    try {
        std::thread(make_calls).detach();
        all.started = true;
    } catch (const std::exception &error) {
        PyErr_Format(PyExc_RuntimeError, "PyGPU can't start its thread for calls: %s", error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return all.started;
}

void queue_call(void *token) {
    const auto known = reinterpret_cast<Token>(token);
    hold(known); // what keeps it may end before the call is made
    CallQueue &all = queue();
    {
        const std::scoped_lock lock(all.mutex);
        all.waiting.push_back(known);
    }
    all.filled.notify_one();
}

void wait_for_queued_calls() {
    CallQueue &all = queue();
    std::unique_lock lock(all.mutex);
    all.emptied.wait(lock, [&] { return all.waiting.empty() && !all.busy; });
}

} // namespace pygpu
