// The same calls as call_overhead.py in a C++ loop, on the libcudart and the libcuda that Python has
// loaded already.
#include <chrono>
#include <cstddef>
#include <dlfcn.h>

namespace {

void *library, *driver;

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

// A function of the driver. Without a driver it is one that only returns an error, because Python's calls
// fail then, too.
template <class... Arguments> auto driver_entry(const char *name) {
    auto *found = driver ? reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name)) : nullptr;
    return found ? found : +[](Arguments...) { return 303; };
}

} // namespace

extern "C" {

// Returns 0, or 1 if the runtime with that path is not in the process. The driver may be missing.
int attach(const char *path, const char *driver_path) {
    library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    driver = *driver_path ? dlopen(driver_path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
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

double ctx_get_current(long calls) {
    auto *function = driver_entry<void **>("cuCtxGetCurrent");
    void *context = nullptr;
    return nanoseconds(calls, [&] { function(&context); });
}

double device_get_attribute(long calls) {
    auto *function = driver_entry<int *, int, int>("cuDeviceGetAttribute");
    int value = 0;
    return nanoseconds(calls, [&] { function(&value, 10, 0); });
}

double driver_stream_query(long calls) {
    auto *function = driver_entry<void *>("cuStreamQuery");
    return nanoseconds(calls, [=] { function(nullptr); });
}

double mem_alloc_free(long calls) {
    auto *allocate = driver_entry<unsigned long long *, std::size_t>("cuMemAlloc_v2");
    auto *release = driver_entry<unsigned long long>("cuMemFree_v2");
    unsigned long long memory = 0;
    return nanoseconds(calls, [&] {
        allocate(&memory, 4096);
        release(memory);
    });
}
}
