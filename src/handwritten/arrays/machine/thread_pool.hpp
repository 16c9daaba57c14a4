// Threads that take part in what is large, copies above all, and wait a while for the next: none has to be
// started for it.
//
//     {
//         const Helpers helpers(7, part); // at most so many threads call part()
//         the caller's own share of the work
//     }                                   // withdraws those that did not come, waits for those that did
//
// part() ends once no work is left, and doesn't throw. The work gets done with no helper at all: in a forked
// child there is none, nor while the copies of other threads have them.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace pygpu::arrays {

// Whether `has_come()` within some 100 us, or longer where others want the processor. A thread that sleeps
// takes about as long to be woken, so what will come soon is looked for before.
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
    int wanted_; // more of them
    const bool has_asked_;
    std::uint64_t given_ = 0;     // threads that were idle and got this to do, a bit for each
    std::atomic<int> running_{0}; // that have it to do
};

} // namespace pygpu::arrays
