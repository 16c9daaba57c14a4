// The launches of launch.py in a C++ loop, with the driver and the runtime that Python has loaded already.
#include <chrono>
#include <dlfcn.h>

namespace {

struct Size { // dim3
    unsigned x, y = 1, z = 1;
};

using Launch = int(void *kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared,
                   void *stream, void **arguments, void **extra);
using RuntimeLaunch = int(const void *kernel, Size grid, Size block, void **arguments, unsigned long shared,
                          void *stream);
Launch *launch = nullptr;

// Nanoseconds of each launch; `words` are the arguments, 8 bytes for each.
template <class One> double timed(long calls, unsigned long long *words, unsigned count, One one) {
    const auto begin = std::chrono::steady_clock::now();
    for (long call = 0; call < calls; ++call) {
        void *arguments[32];
        for (unsigned at = 0; at < count; ++at) arguments[at] = &words[at];
        if (one(count ? arguments : nullptr)) return -1;
    }
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / static_cast<double>(calls);
}

} // namespace

extern "C" {

// Returns 0, or 1 if the driver with that path is not in the process.
int attach(const char *path) {
    void *driver = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    launch = driver ? reinterpret_cast<Launch *>(dlsym(driver, "cuLaunchKernel")) : nullptr;
    return launch ? 0 : 1;
}

double launches(long calls, void *kernel, unsigned grid, unsigned block, void *stream,
                unsigned long long *words, unsigned count) {
    return timed(calls, words, count, [=](void **arguments) {
        return launch(kernel, grid, 1, 1, block, 1, 1, 0, stream, arguments, nullptr);
    });
}

// The same with the runtime's function at the address `by`.
double runtime_launches(RuntimeLaunch *by, long calls, const void *kernel, unsigned grid, unsigned block,
                        void *stream, unsigned long long *words, unsigned count) {
    return timed(calls, words, count,
                 [=](void **arguments) { return by(kernel, Size{grid}, Size{block}, arguments, 0, stream); });
}
}
