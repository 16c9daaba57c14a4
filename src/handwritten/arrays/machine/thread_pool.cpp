// Starting threads, and giving them work of copies.
//
// Each thread waits at its own condition variable. Threads that wait at a common one would wake up one after
// the other, since each needs the common mutex first.
#include "arrays/machine/thread_pool.hpp"

#include "arrays/machine/limits.hpp"
#include "runtime/generation.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace pygpu::arrays {

// Where one idle thread waits for a copy that wants it.
class IdleThread {
public:
    void give(Helpers &helpers) {
        {
            const std::scoped_lock lock(mutex_);
            work_ = &helpers;
        }
        work_came_.notify_one();
    }

    // Takes the work back. Whether it was still there, because the thread has not taken it.
    bool withdraw(Helpers &helpers) {
        Helpers *expected = &helpers;
        return work_.compare_exchange_strong(expected, nullptr);
    }

    // Waits for work. Null after a second, or if the work was withdrawn at the last moment.
    Helpers *take() {
        const auto has_work = [this] { return work_.load() != nullptr; };
        if (!look_for(has_work)) {
            std::unique_lock lock(mutex_);
            work_came_.wait_for(lock, std::chrono::seconds(1), has_work);
        }
        return work_.exchange(nullptr);
    }

private:
    std::mutex mutex_;
    std::condition_variable work_came_;
    std::atomic<Helpers *> work_{nullptr};
};

class ThreadPool {
public:
    static ThreadPool &shared() {
        static auto *pool = new ThreadPool; // never destroyed: its threads may outlive static objects
        return *pool;
    }

    void add(Helpers &helpers) {
        {
            const std::scoped_lock lock(mutex_);
            while (helpers.wanted_ && idle_) {
                const Places place = idle_ & -idle_;
                idle_ &= ~place;
                helpers.offered_ |= place;
                ++helpers.running_;
                --helpers.wanted_;
            }
        }
        for_each(helpers.offered_, [&](int place) { places_[place].give(helpers); });
        if (!helpers.wanted_) return;
        const std::scoped_lock lock(mutex_);
        ask(helpers);
    }

    void remove(Helpers &helpers) {
        {
            const std::scoped_lock lock(mutex_);
            std::erase(asked_, &helpers);
            helpers.wanted_ = 0;
        }
        Places withdrawn = 0;
        for_each(helpers.offered_, [&](int place) {
            if (places_[place].withdraw(helpers)) withdrawn |= Places{1} << place;
        });
        const int missing = std::popcount(withdrawn);
        look_for([&] { return helpers.running_ == missing; });
        std::unique_lock lock(mutex_);
        for_each(withdrawn, [&](int place) { // other copies may want helpers by now
            if (Helpers *other = next())
                places_[place].give(*other);
            else
                idle_ |= Places{1} << place;
        });
        helpers.running_ -= missing;
        done_.wait(lock, [&] { return !helpers.running_; });
    }

private:
    using Places = std::uint64_t; // one bit for each place
    static constexpr int most_places = 64;

    template <class Visit> static void for_each(Places places, Visit visit) {
        for (; places; places &= places - 1) visit(std::countr_zero(places));
    }

    // Asks for more helpers than there are idle threads: starts new ones, and waits for those of other
    // copies.
    void ask(Helpers &helpers) {
        try {
            asked_.push_back(&helpers);
        } catch (const std::exception &) {
            helpers.wanted_ = 0;
            return;
        }
        // All copies share the threads. There are at most half as many as processors, or as many as the
        // largest number that one copy wanted.
        const int wanted = std::popcount(helpers.offered_) + helpers.wanted_;
        most_ = std::min(std::max({most_, wanted, usable_processors() / 2}), most_places);
        while (coming_ < helpers.wanted_ && std::popcount(threads_) < most_ && start()) {
        }
    }

    // Starts one more thread; false if that fails. Signals stay with the threads of the program.
    bool start() {
        const int place = std::countr_one(threads_);
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        bool started = true;
        try {
            std::thread([this, place] { work(place); }).detach();
            threads_ |= Places{1} << place;
            ++coming_;
        } catch (const std::exception &) {
            started = false;
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return started;
    }

    // A new thread inherits the affinity of the thread that starts it. The next copy may be another thread's,
    // so this sets the affinity of the process.
    static void run_where_the_process_may() {
        cpu_set_t processors;
        if (!sched_getaffinity(getpid(), sizeof processors, &processors))
            sched_setaffinity(0, sizeof processors, &processors);
    }

    // A copy that wants one more helper; null if none does.
    Helpers *next() {
        const auto entry = std::ranges::find_if(asked_, [](Helpers *one) { return one->wanted_ > 0; });
        if (entry == asked_.end()) return nullptr;
        --(*entry)->wanted_;
        ++(*entry)->running_;
        return *entry;
    }

    // Waits for work at an idle thread's place. Null if the thread has left the place and is to end.
    Helpers *wait_at(int place, std::unique_lock<std::mutex> &lock) {
        const Places here = Places{1} << place;
        idle_ |= here;
        for (;;) {
            lock.unlock();
            Helpers *helpers = places_[place].take();
            lock.lock();
            if (helpers) return helpers;
            if (!(idle_ & here)) continue; // a copy has chosen this thread, and is about to give it work
            idle_ &= ~here;
            threads_ &= ~here;
            return nullptr;
        }
    }

    void work(int place) {
        run_where_the_process_may();
        std::unique_lock lock(mutex_);
        --coming_;
        for (;;) {
            Helpers *helpers = next();
            if (!helpers) helpers = wait_at(place, lock);
            if (!helpers) return;
            lock.unlock();
            helpers->part_(helpers->what_);
            lock.lock();
            if (!--helpers->running_) done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable done_;
    std::vector<Helpers *> asked_; // the oldest first
    Places threads_ = 0, idle_ = 0;
    IdleThread places_[most_places];
    // The number of threads allowed; the threads that were started and have not looked for work yet.
    int most_ = 0, coming_ = 0;
};

Helpers::Helpers(int count, void (*part)(void *), void *what)
    : part_(part), what_(what), wanted_(count), has_asked_(count > 0 && !in_child()) {
    if (has_asked_) ThreadPool::shared().add(*this);
}

Helpers::~Helpers() {
    if (has_asked_ && !in_child()) ThreadPool::shared().remove(*this); // code of a callback may have forked
}

} // namespace pygpu::arrays
