// Starting threads, and giving them the work of copies.
#include "arrays/transfer/thread_pool.hpp"

#include "arrays/transfer/way.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <sched.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace pygpu::arrays {

class ThreadPool {
public:
    void add(Helpers &helpers) {
        const std::unique_lock lock(mutex_);
        try {
            asked_.push_back(&helpers);
        } catch (const std::exception &) {
            helpers.wanted_ = 0;
            return;
        }
        // All copies share them: as many as half of the processors, or as one copy was set to want.
        most_ = std::max({most_, helpers.wanted_, usable_processors() / 2});
        while (threads_ < most_ && threads_ < busy_ + helpers.wanted_ && start()) ++threads_;
        for (int one = 0; one < helpers.wanted_; ++one) work_.notify_one();
    }

    void remove(Helpers &helpers) {
        std::unique_lock lock(mutex_);
        std::erase(asked_, &helpers);
        helpers.wanted_ = 0;
        done_.wait(lock, [&] { return !helpers.running_; });
    }

private:
    static constexpr std::chrono::seconds idle{1};

    // Whether one more could be had. Signals are for the threads of the program.
    bool start() {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        bool started = true;
        try {
            std::thread([this] { work(); }).detach();
        } catch (const std::exception &) {
            started = false;
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return started;
    }

    // Not only where the thread may that started this one: the next copy is another thread's.
    static void run_where_the_process_may() {
        cpu_set_t processors;
        if (!sched_getaffinity(getpid(), sizeof processors, &processors))
            sched_setaffinity(0, sizeof processors, &processors);
    }

    Helpers *next() {
        const auto found = std::ranges::find_if(asked_, [](Helpers *one) { return one->wanted_ > 0; });
        return found == asked_.end() ? nullptr : *found;
    }

    void work() {
        run_where_the_process_may();
        std::unique_lock lock(mutex_);
        while (work_.wait_for(lock, idle, [&] { return next(); })) {
            Helpers &helpers = *next();
            --helpers.wanted_;
            ++helpers.running_;
            ++busy_;
            lock.unlock();
            helpers.part_(helpers.what_);
            lock.lock();
            --busy_;
            if (!--helpers.running_) done_.notify_all();
        }
        --threads_;
    }

    std::mutex mutex_;
    std::condition_variable work_, done_;
    std::vector<Helpers *> asked_; // in the order of their coming
    int most_ = 0, threads_ = 0, busy_ = 0;
};

namespace {

ThreadPool &pool() {
    static auto *all = new ThreadPool; // its threads may outlive what ends with the process
    return *all;
}

} // namespace

Helpers::Helpers(int count, void (*part)(void *), void *what)
    : part_(part), what_(what), wanted_(count), has_asked_(count > 0 && !in_child()) {
    if (has_asked_) pool().add(*this);
}

Helpers::~Helpers() {
    if (has_asked_ && !in_child()) pool().remove(*this); // a callback may have forked
}

} // namespace pygpu::arrays
