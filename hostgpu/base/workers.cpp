// Starting threads, and handing queues to idle threads.
#include "base/workers.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace pygpu::host {
namespace {

constexpr std::size_t most_idle = 32; // beyond that, a thread ends with its queue

struct Workers {
    std::mutex mutex;
    std::condition_variable handed;
    std::vector<std::shared_ptr<Served>> queues; // handed to idle threads that haven't woken yet
    std::size_t idle = 0;                        // threads that wait for a queue
};

Workers &workers() {
    static auto *all = new Workers; // never destroyed: threads outlive main
    return *all;
}

void work(std::shared_ptr<Served> queue) {
    Workers &all = workers();
    for (;;) {
        queue->work_on();
        queue.reset();
        std::unique_lock lock(all.mutex);
        if (all.idle >= most_idle) return;
        ++all.idle;
        while (all.queues.empty()) all.handed.wait(lock);
        --all.idle;
        queue = std::move(all.queues.back());
        all.queues.pop_back();
    }
}

} // namespace

void serve(std::shared_ptr<Served> queue) {
    Workers &all = workers();
    {
        std::lock_guard lock(all.mutex);
        if (all.idle > all.queues.size()) {
            all.queues.push_back(std::move(queue));
            all.handed.notify_one();
            return;
        }
    }
    std::thread(work, std::move(queue)).detach();
}

} // namespace pygpu::host
