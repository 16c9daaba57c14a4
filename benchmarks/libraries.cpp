// Calls of a library's function in a loop, as a C++ program makes them, for benchmarks/libraries.py.
#include <chrono>

namespace {

using Word = unsigned long long;
using Clock = std::chrono::steady_clock;

template <class Call> double timed(long times, int (*wait)(), const Call &call) {
    int status = wait();
    const auto start = Clock::now();
    for (long n = 0; n < times; ++n) status |= call();
    status |= wait();
    return status ? -1 : std::chrono::duration<double>(Clock::now() - start).count() / double(times);
}

} // namespace

// Seconds of a call with up to 20 integers and addresses, the wait at the end counted in; -1 if one failed.
extern "C" double words(int (*function)(...), const Word *given, long times, int (*wait)()) {
    const Word *w = given;
    return timed(times, wait, [&] {
        return function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
                        w[13], w[14], w[15], w[16], w[17], w[18], w[19]);
    });
}

// The same with an asynchronous copy from `from` to `to` before each call.
extern "C" double fresh(int (*function)(...), const Word *given, long times, int (*wait)(),
                        int (*copy)(void *, const void *, Word, int, void *), void *to, const void *from,
                        Word bytes) {
    constexpr int between_pointers = 4;
    const Word *w = given;
    return timed(times, wait, [&] {
        return copy(to, from, bytes, between_pointers, nullptr) |
               function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12],
                        w[13], w[14], w[15], w[16], w[17], w[18], w[19]);
    });
}

// The same for curandGenerateNormal.
extern "C" double normal(int (*function)(void *, float *, Word, float, float), void *generator, float *out,
                         Word count, long times, int (*wait)()) {
    return timed(times, wait, [&] { return function(generator, out, count, 0, 1); });
}
