// The host runtime with addresses of streams that come back: a libcudart in front of it, for tests of arrays.
//
// As on a card, where a stream that was destroyed leaves its address to the next one. The host runtime itself
// never gives an address twice.
#include "in_front.hpp"

#include <cstddef>
#include <mutex>
#include <vector>

namespace {

std::mutex mutex;
char slots[64];
void *streams[sizeof slots]; // the host runtime's, by slot
std::vector<std::size_t> unused;
std::size_t most = 0;

bool is_slot(void *stream) { return stream >= slots && stream < slots + sizeof slots; }

// The host runtime's stream for one of ours; default streams are the same.
void *real(void *stream) {
    const std::lock_guard lock(mutex);
    return is_slot(stream) ? streams[static_cast<char *>(stream) - slots] : stream;
}

template <class... Values> int create(const char *name, void **stream, Values... values) {
    void *made = nullptr;
    if (const int status = host<int(void **, Values...)>(name)(&made, values...)) return status;
    const std::lock_guard lock(mutex);
    std::size_t slot = most;
    if (unused.empty()) {
        ++most;
    } else {
        slot = unused.back();
        unused.pop_back();
    }
    streams[slot] = made;
    *stream = slots + slot;
    return 0;
}

template <class... Values> int last(const char *name, void *stream, Values... values) {
    return host<int(Values..., void *)>(name)(values..., real(stream));
}

template <class... Values> int first(const char *name, void *stream, Values... values) {
    return host<int(void *, Values...)>(name)(real(stream), values...);
}

} // namespace

extern "C" {

int cudaStreamCreateWithFlags(void **stream, unsigned flags) {
    return create("cudaStreamCreateWithFlags", stream, flags);
}
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    return create("cudaStreamCreateWithPriority", stream, flags, priority);
}
int cudaStreamDestroy(void *stream) {
    const int status = first("cudaStreamDestroy", stream);
    const std::lock_guard lock(mutex);
    if (!status) unused.push_back(static_cast<std::size_t>(static_cast<char *>(stream) - slots));
    return status;
}

int cudaStreamGetDevice(void *stream, int *device) { return first("cudaStreamGetDevice", stream, device); }
int cudaStreamQuery(void *stream) { return first("cudaStreamQuery", stream); }
int cudaStreamSynchronize(void *stream) { return first("cudaStreamSynchronize", stream); }
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph, void *edges,
                             void *nodes, void *count) {
    return first("cudaStreamGetCaptureInfo", stream, status, id, graph, edges, nodes, count);
}
int cudaStreamIsCapturing(void *stream, int *status) {
    return first("cudaStreamIsCapturing", stream, status);
}
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
    return first("cudaStreamWaitEvent", stream, event, flags);
}
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
    return first("cudaLaunchHostFunc", stream, function, data);
}
int cudaEventRecord(void *event, void *stream) { return last("cudaEventRecord", stream, event); }
int cudaFreeAsync(void *pointer, void *stream) { return last("cudaFreeAsync", stream, pointer); }
int cudaMemcpyAsync(void *to, const void *from, std::size_t size, int kind, void *stream) {
    return last("cudaMemcpyAsync", stream, to, from, size, kind);
}
int cudaMemsetAsync(void *pointer, int byte, std::size_t size, void *stream) {
    return last("cudaMemsetAsync", stream, pointer, byte, size);
}
int cudaMallocFromPoolAsync(void **pointer, std::size_t size, void *pool, void *stream) {
    return last("cudaMallocFromPoolAsync", stream, pointer, size, pool);
}
}
