// Threads that help with large work, mostly copies. They wait a while for the next work, so that no thread
// has to be started for it.
//
//     {
//         const Helpers helpers(7, part); // at most 7 other threads call part()
//         the caller's own share of the work
//     }                                   // waits for the threads that have begun; no other begins
//
// part() must return once no work is left, and must not throw. The caller must be able to do all the work
// alone: there are no helpers in a forked child, and none while copies of other threads use them all.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace pygpu::arrays {

// Whether has_come() becomes true within about 100 us, or longer if other threads want the processor. Waking
// up a sleeping thread takes about as long, so this is worth trying before a sleep.
template <class Come> bool look_for(Come has_come) {
    constexpr int looks = 200; // not measured
    for (int look = 0; look < looks; ++look) {
        if (has_come()) return true;
        std::this_thread::yield();
    }
    return false;
}

class Helpers {
public:
    template <class Part>
    Helpers(int count, Part &part)
        : Helpers(count, [](void *what) { (*static_cast<Part *>(what))(); }, &part) {}
    ~Helpers();
    Helpers(const Helpers &) = delete;
    Helpers &operator=(const Helpers &) = delete;

private:
    Helpers(int count, void (*part)(void *), void *what);

    friend class ThreadPool;
    void (*const part_)(void *);
    void *const what_;
    int wanted_; // the number of threads that are still wanted
    const bool has_asked_;
    std::uint64_t offered_ = 0;   // one bit for each idle thread that got this work
    std::atomic<int> running_{0}; // the number of threads that have this work
};

} // namespace pygpu::arrays
