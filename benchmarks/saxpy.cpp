// The same program as saxpy.py in C++, on the driver that Python has loaded already.
#include <chrono>
#include <cstddef>
#include <dlfcn.h>

namespace {

void *library;

template <class Signature> Signature *entry(const char *name) {
    return reinterpret_cast<Signature *>(dlsym(library, name));
}

} // namespace

extern "C" {

struct Times {
    double kernels; // seconds between the events
    double loop;    // seconds of the launches, waited for
    double program; // seconds from loading the module to its end
};

// Returns 0, or 1 if the driver is not in the process.
int attach(const char *path) {
    library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    return library ? 0 : 1;
}

// A context must be current. Returns the code of the first call that failed, or 0.
int saxpy(const void *image, float a, const float *x, const float *y, float *out, std::size_t count,
          unsigned threads, int launches, Times *times) {
    using Clock = std::chrono::steady_clock;
    using Address = unsigned long long;
    static auto *const load = entry<int(void **, const void *)>("cuModuleLoadData");
    static auto *const unload = entry<int(void *)>("cuModuleUnload");
    static auto *const function_of = entry<int(void **, void *, const char *)>("cuModuleGetFunction");
    static auto *const allocate = entry<int(Address *, std::size_t)>("cuMemAlloc_v2");
    static auto *const free = entry<int(Address)>("cuMemFree_v2");
    static auto *const up = entry<int(Address, const void *, std::size_t)>("cuMemcpyHtoD_v2");
    static auto *const down = entry<int(void *, Address, std::size_t)>("cuMemcpyDtoH_v2");
    static auto *const launch = entry<int(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                          unsigned, void *, void **, void **)>("cuLaunchKernel");
    static auto *const create = entry<int(void **, unsigned)>("cuEventCreate");
    static auto *const destroy = entry<int(void *)>("cuEventDestroy_v2");
    static auto *const record = entry<int(void *, void *)>("cuEventRecord");
    static auto *const wait = entry<int(void *)>("cuEventSynchronize");
    static auto *const elapsed = entry<int(float *, void *, void *)>("cuEventElapsedTime");
    const std::size_t bytes = count * sizeof(float);
    const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
    void *module = nullptr, *kernel = nullptr, *begin = nullptr, *end = nullptr;
    Address x_there = 0, y_there = 0, out_there = 0;
    float milliseconds = 0;
    int code = 0;
    const auto done = [&](int status) { return !(code = code ? code : status); };
    const auto started = Clock::now();
    done(load(&module, image)) && done(function_of(&kernel, module, "saxpy")) && done(create(&begin, 0)) &&
        done(create(&end, 0)) && done(allocate(&x_there, bytes)) && done(allocate(&y_there, bytes)) &&
        done(allocate(&out_there, bytes)) && done(up(x_there, x, bytes)) && done(up(y_there, y, bytes));
    const auto looped = Clock::now();
    done(record(begin, nullptr));
    for (int i = 0; i < launches && !code; ++i) {
        void *arguments[] = {&a, &x_there, &y_there, &out_there, &count};
        done(launch(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
    }
    done(record(end, nullptr)) && done(wait(end));
    const auto waited = Clock::now();
    done(elapsed(&milliseconds, begin, end)) && done(down(out, out_there, bytes));
    done(free(x_there)), done(free(y_there)), done(free(out_there));
    done(destroy(begin)), done(destroy(end)), done(unload(module));
    const auto seconds = [](auto passed) { return std::chrono::duration<double>(passed).count(); };
    *times = {milliseconds / 1e3, seconds(waited - looped), seconds(Clock::now() - started)};
    return code;
}
}
