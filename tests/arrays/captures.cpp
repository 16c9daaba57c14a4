// The host runtime with streams that capture: a libcudart in front of it, for tests of arrays.
//
// It keeps NVIDIA's rules for what a capture forbids; a call that breaks one fails and ends the capture as
// invalid. Copies to and from the host become nodes, which a launch does; nothing else can be captured. Its
// pools of memory count and give back as drivers do.
#include "in_front.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <vector>

namespace {

enum Status {
    invalid_value = 1,
    unsupported = 900,
    invalidated = 901,
    isolation = 905,
    implicit = 906,
    captured_event = 907
};

struct Copy {
    void *to;
    const void *from;
    std::size_t size;
    int kind;
};

struct Object {
    void *pointer;
    void (*destroy)(void *);
};

struct Graph {
    std::vector<Copy> copies;
    std::vector<Object *> objects;
};

struct Capture {
    Graph *graph = new Graph;
    bool blocking = false; // the stream orders itself with the legacy one
    int device = 0;
    bool valid = true;
};

std::mutex mutex;
std::map<void *, Capture> captures; // by stream
std::set<void *> captured;          // events

int fail(int status) {
    for (auto &[stream, capture] : captures) capture.valid = false;
    return status;
}

bool capturing(void *stream) { return captures.count(stream) != 0; }

bool is_legacy(void *stream) { return !stream || stream == reinterpret_cast<void *>(std::uintptr_t{1}); }

// Whether the stream is the legacy one, which waits for all blocking streams of its device, while one of
// those captures.
bool waits_for_capture(void *stream) {
    int device = 0;
    if (!is_legacy(stream) || host<int(int *)>("cudaGetDevice")(&device)) return false;
    for (const auto &[one, capture] : captures) {
        if (capture.blocking && capture.device == device) return true;
    }
    return false;
}

// Whether the thread may make calls that are unsafe while others capture.
bool is_relaxed() {
    constexpr int relaxed = 2;
    auto *exchange = host<int(int *)>("cudaThreadExchangeStreamCaptureMode");
    int mode = relaxed;
    exchange(&mode);
    const bool was = mode == relaxed;
    exchange(&mode);
    return was;
}

// A call that may not be made on a stream that captures, nor on one that waits for such a one.
template <class... Values> int forbidden(const char *name, void *stream, Values... values) {
    {
        const std::lock_guard lock(mutex);
        if (capturing(stream)) return fail(unsupported);
        if (waits_for_capture(stream)) return fail(implicit);
    }
    return host<int(Values...)>(name)(values...);
}

// A call that is unsafe while a stream captures in global mode, as all do here.
template <class... Values> int unsafe(const char *name, Values... values) {
    {
        const std::lock_guard lock(mutex);
        if (!captures.empty() && !is_relaxed()) return fail(unsupported);
    }
    return host<int(Values...)>(name)(values...);
}

int of_event(const char *name, void *event) {
    {
        const std::lock_guard lock(mutex);
        if (captured.count(event)) return fail(captured_event);
    }
    return unsafe(name, event);
}

std::map<void *, std::uint64_t> pooled; // sizes of what pools gave
std::uint64_t lost = 0; // bytes that were not freed through their pool: it counts them for ever
bool waited = false;    // for a stream or an event, since something was freed

int after_wait(int status) {
    const std::lock_guard lock(mutex);
    waited = waited || !status;
    return status;
}

} // namespace

extern "C" {

int cudaStreamBeginCapture(void *stream, int) {
    const std::lock_guard lock(mutex);
    if (is_legacy(stream) || capturing(stream)) return invalid_value;
    unsigned flags = 0;
    int device = 0;
    if (int status = host<int(void *, unsigned *)>("cudaStreamGetFlags")(stream, &flags)) return status;
    if (int status = host<int(void *, int *)>("cudaStreamGetDevice")(stream, &device)) return status;
    constexpr unsigned non_blocking = 1;
    captures[stream] = {.blocking = !(flags & non_blocking), .device = device};
    return 0;
}

int cudaStreamEndCapture(void *stream, void **graph) {
    const std::lock_guard lock(mutex);
    *graph = nullptr;
    if (!capturing(stream)) return invalid_value;
    const Capture ended = captures[stream];
    captures.erase(stream);
    if (!ended.valid) return invalidated;
    *graph = ended.graph;
    return 0;
}

int cudaStreamIsCapturing(void *stream, int *status) {
    const std::lock_guard lock(mutex);
    if (waits_for_capture(stream)) return implicit; // the one question that harms nothing
    if (!capturing(stream)) return host<int(void *, int *)>("cudaStreamIsCapturing")(stream, status);
    *status = captures[stream].valid ? 1 : 2;
    return 0;
}

int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph, void *, void *,
                             void *) {
    const std::lock_guard lock(mutex);
    *status = 0;
    if (!capturing(stream)) return 0;
    *status = captures[stream].valid ? 1 : 2;
    *id = 1;
    *graph = captures[stream].graph;
    return 0;
}

int cudaUserObjectCreate(void **object, void *pointer, void (*destroy)(void *), unsigned, unsigned) {
    *object = new Object{pointer, destroy};
    return 0;
}

int cudaGraphRetainUserObject(void *graph, void *object, unsigned, unsigned) {
    const std::lock_guard lock(mutex);
    static_cast<Graph *>(graph)->objects.push_back(static_cast<Object *>(object));
    return 0;
}

int cudaGraphDestroy(void *graph) {
    auto *gone = static_cast<Graph *>(graph);
    for (Object *object : gone->objects) {
        object->destroy(object->pointer);
        delete object;
    }
    delete gone;
    return 0;
}

// Takes the graph itself.
int cudaGraphLaunch(void *graph, void *stream) {
    for (const Copy &copy : static_cast<Graph *>(graph)->copies) {
        using Function = int(void *, const void *, std::size_t, int, void *);
        if (int status = host<Function>("cudaMemcpyAsync")(copy.to, copy.from, copy.size, copy.kind, stream))
            return status;
    }
    return 0;
}

int cudaMemcpy(void *to, const void *from, std::size_t size, int kind) {
    return forbidden("cudaMemcpy", nullptr, to, from, size, kind);
}

int cudaMemcpyAsync(void *to, const void *from, std::size_t size, int kind, void *stream) {
    {
        const std::lock_guard lock(mutex);
        if (capturing(stream)) {
            captures[stream].graph->copies.push_back({to, from, size, kind});
            return 0;
        }
    }
    return forbidden("cudaMemcpyAsync", stream, to, from, size, kind, stream);
}

int cudaEventRecord(void *event, void *stream) {
    {
        const std::lock_guard lock(mutex);
        if (capturing(stream)) {
            captured.insert(event);
            return 0;
        }
        captured.erase(event);
    }
    return forbidden("cudaEventRecord", stream, event, stream);
}

int cudaEventQuery(void *event) { return of_event("cudaEventQuery", event); }
int cudaEventSynchronize(void *event) { return after_wait(of_event("cudaEventSynchronize", event)); }

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
    {
        const std::lock_guard lock(mutex);
        const bool joins = captured.count(event) != 0;
        if (joins != capturing(stream)) return fail(isolation);
        if (joins) return 0;
    }
    return forbidden("cudaStreamWaitEvent", stream, stream, event, flags);
}

int cudaStreamQuery(void *stream) { return forbidden("cudaStreamQuery", stream, stream); }
int cudaStreamSynchronize(void *stream) {
    return after_wait(forbidden("cudaStreamSynchronize", stream, stream));
}

// Whatever the thread's mode, and whatever stream it is that captures.
int cudaDeviceSynchronize() {
    {
        const std::lock_guard lock(mutex);
        if (!captures.empty()) return fail(unsupported);
    }
    return after_wait(host<int()>("cudaDeviceSynchronize")());
}

int cudaMalloc(void **pointer, std::size_t size) { return unsafe("cudaMalloc", pointer, size); }
int cudaHostAlloc(void **pointer, std::size_t size, unsigned flags) {
    return unsafe("cudaHostAlloc", pointer, size, flags);
}
int cudaFreeHost(void *pointer) { return unsafe("cudaFreeHost", pointer); }

int cudaFree(void *pointer) {
    const int status = unsafe("cudaFree", pointer);
    const std::lock_guard lock(mutex);
    const auto found = pooled.find(pointer);
    if (status || found == pooled.end()) return status;
    lost += found->second;
    pooled.erase(found);
    return 0;
}

int cudaMallocFromPoolAsync(void **pointer, std::size_t size, void *pool, void *stream) {
    const int status = forbidden("cudaMallocFromPoolAsync", stream, pointer, size, pool, stream);
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
    return forbidden("cudaFreeAsync", stream, pointer, stream);
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

int cudaMemsetAsync(void *pointer, int byte, std::size_t size, void *stream) {
    return forbidden("cudaMemsetAsync", stream, pointer, byte, size, stream);
}
}
