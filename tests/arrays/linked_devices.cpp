// The host runtime with its calls between devices counted: a libcudart in front of it, for tests of arrays.
//
// While a capture is said to be under way on the default stream's device, a call that changes access is one
// that spoils it.
#include "in_front.hpp"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;
std::map<std::string, int> calls;
std::atomic<bool> capturing{false};
std::atomic<int> spoilt{0};

template <class... Values> int counted(const char *name, Values... values) {
    {
        const std::lock_guard lock(mutex);
        ++calls[name];
    }
    return host<int(Values...)>(name)(values...);
}

template <class... Values> int access(const char *name, Values... values) {
    if (capturing) ++spoilt;
    return counted(name, values...);
}

} // namespace

extern "C" {

// How often a function was called since the last time that this was asked.
int count_of(const char *name) {
    const std::lock_guard lock(mutex);
    const int count = calls[name];
    calls[name] = 0;
    return count;
}

void set_capturing(int on) { capturing = on; }
int count_spoilt() { return spoilt; }

int cudaStreamIsCapturing(void *stream, int *status) {
    constexpr int implicit = 906; // a blocking stream is being captured
    if (capturing && !stream) return implicit;
    return host<int(void *, int *)>("cudaStreamIsCapturing")(stream, status);
}

int cudaMemPoolSetAccess(void *pool, const void *list, std::size_t count) {
    return access("cudaMemPoolSetAccess", pool, list, count);
}
int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return access("cudaDeviceEnablePeerAccess", peer, flags);
}
int cudaDeviceDisablePeerAccess(int peer) { return counted("cudaDeviceDisablePeerAccess", peer); }
int cudaMemcpy3DAsync(const void *copy, void *stream) { return counted("cudaMemcpy3DAsync", copy, stream); }
int cudaMemcpyAsync(void *to, const void *from, std::size_t size, int kind, void *stream) {
    return counted("cudaMemcpyAsync", to, from, size, kind, stream);
}
int cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                      std::size_t width, std::size_t height, int kind, void *stream) {
    return counted("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, stream);
}
}
