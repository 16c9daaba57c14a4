// The host runtime with streams that capture: a libcudart in front of it, for tests of arrays.
//
// It keeps NVIDIA's rules for what a capture forbids; a call that breaks one fails and ends the capture as
// invalid. Copies to and from the host become nodes, which a launch does; nothing else can be captured.
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

// A call that may not be made on a stream that captures.
template <class... Values> int forbidden(const char *name, void *stream, Values... values) {
    {
        const std::lock_guard lock(mutex);
        if (capturing(stream)) return fail(unsupported);
    }
    return host<int(Values...)>(name)(values...);
}

template <class... Values> int of_event(const char *name, void *event, Values... values) {
    {
        const std::lock_guard lock(mutex);
        if (captured.count(event)) return fail(captured_event);
    }
    return host<int(void *, Values...)>(name)(event, values...);
}

} // namespace

extern "C" {

int cudaStreamBeginCapture(void *stream, int) {
    const std::lock_guard lock(mutex);
    if (!stream || capturing(stream)) return invalid_value;
    captures[stream];
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

int cudaMemcpyAsync(void *to, const void *from, std::size_t size, int kind, void *stream) {
    {
        const std::lock_guard lock(mutex);
        if (capturing(stream)) {
            captures[stream].graph->copies.push_back({to, from, size, kind});
            return 0;
        }
    }
    using Function = int(void *, const void *, std::size_t, int, void *);
    return host<Function>("cudaMemcpyAsync")(to, from, size, kind, stream);
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
    return host<int(void *, void *)>("cudaEventRecord")(event, stream);
}

int cudaEventQuery(void *event) { return of_event("cudaEventQuery", event); }
int cudaEventSynchronize(void *event) { return of_event("cudaEventSynchronize", event); }

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
    {
        const std::lock_guard lock(mutex);
        const bool joins = captured.count(event) != 0;
        if (joins != capturing(stream)) return fail(isolation);
        if (joins) return 0;
    }
    return host<int(void *, void *, unsigned)>("cudaStreamWaitEvent")(stream, event, flags);
}

int cudaStreamQuery(void *stream) { return forbidden("cudaStreamQuery", stream, stream); }
int cudaStreamSynchronize(void *stream) { return forbidden("cudaStreamSynchronize", stream, stream); }

// Whatever the thread's mode, and whatever stream it is that captures.
int cudaDeviceSynchronize() {
    {
        const std::lock_guard lock(mutex);
        if (!captures.empty()) return fail(unsupported);
    }
    return host<int()>("cudaDeviceSynchronize")();
}

int cudaMallocFromPoolAsync(void **pointer, std::size_t size, void *pool, void *stream) {
    return forbidden("cudaMallocFromPoolAsync", stream, pointer, size, pool, stream);
}

int cudaFreeAsync(void *pointer, void *stream) { return forbidden("cudaFreeAsync", stream, pointer, stream); }

int cudaMemsetAsync(void *pointer, int byte, std::size_t size, void *stream) {
    return forbidden("cudaMemsetAsync", stream, pointer, byte, size, stream);
}
}
