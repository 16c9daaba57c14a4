// Starting threads, and handing streams to idle threads.
#include "base/workers.hpp"

#include "streams/stream.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace pygpu::host {
namespace {

constexpr std::size_t most_idle = 32; // beyond that, a thread ends with its stream's work

struct Workers {
    std::mutex mutex;
    std::condition_variable given;
    std::vector<std::shared_ptr<Stream>> streams; // given to idle threads that haven't woken yet
    std::size_t idle = 0;                         // threads that wait for a stream
};

Workers &workers() {
    static auto *all = new Workers; // never destroyed: threads outlive main
    return *all;
}

void work(std::shared_ptr<Stream> stream) {
    Workers &all = workers();
    for (;;) {
        stream->work_on();
        stream.reset();
        std::unique_lock lock(all.mutex);
        if (all.idle >= most_idle) return;
        ++all.idle;
        while (all.streams.empty()) all.given.wait(lock);
        --all.idle;
        stream = std::move(all.streams.back());
        all.streams.pop_back();
    }
}

} // namespace

void serve(std::shared_ptr<Stream> stream) {
    Workers &all = workers();
    {
        std::lock_guard lock(all.mutex);
        if (all.idle > all.streams.size()) {
            all.streams.push_back(std::move(stream));
            all.given.notify_one();
            return;
        }
    }
    std::thread(work, std::move(stream)).detach();
}

} // namespace pygpu::host
