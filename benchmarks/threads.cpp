// Launches and copies of several threads, each on a stream of its own, as a C++ program makes them: for
// benchmarks/threads.py.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

// The driver's functions.
using SetContext = int(void *context);
using Launch = int(void *kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                   void *stream, void **arguments, void **extra);
using Copy = int(void *to, void *from, std::size_t size, void *stream);
using Wait = int(void *stream);

// Seconds from the common start until the last thread is done with `body(its number)`; -1 if one failed.
template <class Body> double at_once(int threads, SetContext *set_context, void *context, Body body) {
    using Clock = std::chrono::steady_clock;
    std::atomic<int> ready{0}, failed{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> all;
    for (int number = 0; number < threads; ++number) {
        all.emplace_back([&, number] {
            failed += set_context(context);
            ++ready;
            while (!go) std::this_thread::yield();
            failed += body(number);
        });
    }
    while (ready != threads) std::this_thread::yield();
    const auto begin = Clock::now();
    go = true;
    for (std::thread &one : all) one.join();
    return failed ? -1 : std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace

// `arguments` has each thread's array of arguments.
extern "C" double launches(int threads, long calls, SetContext *set_context, void *context, Launch *launch,
                           void *kernel, unsigned block, void **streams, void ***arguments) {
    return at_once(threads, set_context, context, [=](int number) {
        int status = 0;
        for (long n = 0; n < calls; ++n)
            status |= launch(kernel, 1, 1, 1, block, 1, 1, 0, streams[number], arguments[number], nullptr);
        return status;
    });
}

// Copies between each thread's two addresses, each waited for.
extern "C" double copies(int threads, long calls, SetContext *set_context, void *context, Copy *copy,
                         Wait *wait, void **to, void **from, std::size_t size, void **streams) {
    return at_once(threads, set_context, context, [=](int number) {
        int status = 0;
        for (long n = 0; n < calls; ++n)
            status |= copy(to[number], from[number], size, streams[number]) | wait(streams[number]);
        return status;
    });
}
