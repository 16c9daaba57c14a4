// Threads that take part in large copies, and wait a while for the next: none has to be started for it.
//
//     {
//         const Helpers helpers(7, part); // at most so many threads call part()
//         the caller's own share of the work
//     }                                   // withdraws those that did not come, waits for those that did
//
// part() ends once no work is left, and doesn't throw. The work gets done with no helper at all: in a forked
// child there is none, nor while the copies of other threads have them.
#pragma once

namespace pygpu::arrays {

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
    int wanted_;
    const bool has_asked_;
    int running_ = 0;
};

} // namespace pygpu::arrays
