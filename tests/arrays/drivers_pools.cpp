// The host runtime with pools of memory that count and give back as drivers do: a libcudart in front of it,
// for tests of arrays.
#include "in_front.hpp"

#include <cstdint>
#include <map>
#include <mutex>

namespace {

std::mutex mutex;
std::map<void *, std::uint64_t> pooled; // sizes of what pools gave
std::uint64_t lost = 0; // bytes that were not freed through their pool: it never stops counting them
bool waited = false;    // for a stream or an event, since something was freed

int after_wait(int status) {
    const std::lock_guard lock(mutex);
    waited = waited || !status;
    return status;
}

} // namespace

extern "C" {

int cudaEventSynchronize(void *event) { return after_wait(host<int(void *)>("cudaEventSynchronize")(event)); }
int cudaStreamSynchronize(void *stream) {
    return after_wait(host<int(void *)>("cudaStreamSynchronize")(stream));
}
int cudaDeviceSynchronize() { return after_wait(host<int()>("cudaDeviceSynchronize")()); }

int cudaFree(void *pointer) {
    const int status = host<int(void *)>("cudaFree")(pointer);
    const std::lock_guard lock(mutex);
    const auto found = pooled.find(pointer);
    if (status || found == pooled.end()) return status;
    lost += found->second;
    pooled.erase(found);
    return 0;
}

int cudaMallocFromPoolAsync(void **pointer, std::size_t size, void *pool, void *stream) {
    using Function = int(void **, std::size_t, void *, void *);
    const int status = host<Function>("cudaMallocFromPoolAsync")(pointer, size, pool, stream);
    const std::lock_guard lock(mutex);
    if (!status) pooled[*pointer] = size;
    return status;
}

int cudaFreeAsync(void *pointer, void *stream) {
    {
        const std::lock_guard lock(mutex);
        pooled.erase(pointer); // before another has the address
        waited = false;
    }
    return host<int(void *, void *)>("cudaFreeAsync")(pointer, stream);
}

int cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
    const int status = host<int(void *, int, void *)>("cudaMemPoolGetAttribute")(pool, attribute, value);
    constexpr int used_now = 7;
    const std::lock_guard lock(mutex);
    if (!status && attribute == used_now) *static_cast<std::uint64_t *>(value) += lost;
    return status;
}

int cudaMemPoolTrimTo(void *pool, std::size_t keep) {
    {
        const std::lock_guard lock(mutex);
        if (!waited) return 0;
    }
    return host<int(void *, std::size_t)>("cudaMemPoolTrimTo")(pool, keep);
}
}
