// The same calls as call_overhead.py in a C++ loop, on the libcudart that Python has loaded
// already.
#include <chrono>
#include <dlfcn.h>

namespace {

void *library;

template <class Call> double nanoseconds(long calls, Call call) {
    const auto begin = std::chrono::steady_clock::now();
    for (long i = 0; i < calls; ++i) {
        call();
    }
    const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
    return passed.count() / static_cast<double>(calls);
}

template <class Signature> Signature *entry(const char *name) {
    return reinterpret_cast<Signature *>(dlsym(library, name));
}

} // namespace

extern "C" {

// 0, or 1 when the library of that path is not in the process.
int attach(const char *path) {
    library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    return library ? 0 : 1;
}

double set_device(long calls) {
    auto *function = entry<int(int)>("cudaSetDevice");
    return nanoseconds(calls, [=] { function(0); });
}

double get_device(long calls) {
    auto *function = entry<int(int *)>("cudaGetDevice");
    int device = 0;
    return nanoseconds(calls, [&] { function(&device); });
}

double get_last_error(long calls) {
    auto *function = entry<int()>("cudaGetLastError");
    return nanoseconds(calls, [=] { function(); });
}

double stream_query(long calls) {
    auto *function = entry<int(void *)>("cudaStreamQuery");
    return nanoseconds(calls, [=] { function(nullptr); });
}

double event_record(long calls) {
    void *event = nullptr;
    entry<int(void **)>("cudaEventCreate")(&event); // without a device it stays null
    auto *function = entry<int(void *, void *)>("cudaEventRecord");
    const double time = nanoseconds(calls, [=] { function(event, nullptr); });
    entry<int(void *)>("cudaEventDestroy")(event);
    return time;
}
}
