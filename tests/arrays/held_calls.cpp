// The host runtime with calls that can be held: a libcudart in front of it, for tests of arrays.
//
// As a card's calls wait while a stream is full. A call of the chosen function waits before it does anything,
// until another Python thread lets it go: if it keeps the interpreter's lock meanwhile nobody can, and it
// gives up.
#include "in_front.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>

namespace {

constexpr std::chrono::seconds limit{20}; // where something is wrong

std::mutex mutex;
std::condition_variable changed;
std::string chosen; // the function whose next call is held
bool held = false, given_up = false;
std::atomic<int> pools_destroyed{0}, graphs_destroyed{0};
std::atomic<bool> destroyed_while_held{false};

void pass(const char *name) {
    std::unique_lock lock(mutex);
    if (chosen != name) return;
    chosen.clear();
    held = true;
    changed.notify_all();
    if (!changed.wait_for(lock, limit, [] { return !held; })) {
        held = false;
        given_up = true;
    }
    changed.notify_all();
}

template <class... Values> int passed(const char *name, Values... values) {
    pass(name);
    return host<int(Values...)>(name)(values...);
}

} // namespace

extern "C" {

void hold(const char *name) {
    const std::lock_guard lock(mutex);
    chosen = name;
    given_up = false;
}

// Waits until a call is held; whether one is.
int wait_for_held() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, limit, [] { return held || given_up; }) && held;
}

int destroyed_graphs() { return graphs_destroyed; }
int graph_destroyed_while_held() { return destroyed_while_held; }
int destroyed_pools() { return pools_destroyed; }

// Whether a call was held until now.
int let_go() {
    const std::lock_guard lock(mutex);
    const bool was = held && !given_up;
    held = false;
    changed.notify_all();
    return was;
}

int cudaEventRecord(void *event, void *stream) { return passed("cudaEventRecord", event, stream); }
int cuEventRecord(void *event, void *stream) { // the driver's, which PyGPU calls where it can
    pass("cudaEventRecord");
    return host<int(void *, void *)>("cuEventRecord")(event, stream);
}
int cudaGraphExecDestroy(void *executable) {
    ++graphs_destroyed;
    {
        const std::lock_guard lock(mutex);
        if (held) destroyed_while_held = true;
    }
    return host<int(void *)>("cudaGraphExecDestroy")(executable);
}
int cuGraphLaunch(void *executable, void *stream) {
    pass("cuGraphLaunch");
    return host<int(void *, void *)>("cuGraphLaunch")(executable, stream);
}
int cudaMemcpy(void *to, const void *from, std::size_t size, int kind) {
    return passed("cudaMemcpy", to, from, size, kind);
}
int cudaMemcpyAsync(void *to, const void *from, std::size_t size, int kind, void *stream) {
    return passed("cudaMemcpyAsync", to, from, size, kind, stream);
}
int cudaEventSynchronize(void *event) { return passed("cudaEventSynchronize", event); }
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
    return passed("cudaStreamWaitEvent", stream, event, flags);
}
int cudaStreamSynchronize(void *stream) { return passed("cudaStreamSynchronize", stream); }
int cudaStreamIsCapturing(void *stream, int *status) {
    return passed("cudaStreamIsCapturing", stream, status);
}
int cudaStreamGetDevice(void *stream, int *device) { return passed("cudaStreamGetDevice", stream, device); }
int cudaMemPoolCreate(void **pool, const void *properties) {
    return passed("cudaMemPoolCreate", pool, properties);
}
int cudaMemPoolDestroy(void *pool) {
    ++pools_destroyed;
    return host<int(void *)>("cudaMemPoolDestroy")(pool);
}
int cudaFreeAsync(void *pointer, void *stream) { return passed("cudaFreeAsync", pointer, stream); }
}
