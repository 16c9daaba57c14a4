// A runtime for tests of callbacks.
//
// Streams keep host functions until drain() runs them on a thread of its own. Stream 0x6000 is capturing
// into a graph; a graph runs its functions at each launch(), and lets go of what was retained for it when
// it is destroyed.
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using Function = void (*)(void *);
struct Work {
    int kind;
    void *function, *data, *stream;
    int status;
};
struct Object {
    void *data;
    Function destroy;
};
struct Graph {
    std::vector<Work> nodes;
    std::vector<Object *> objects;
};

static std::vector<Work> queue;
static Graph graph;
static void *const capturing = reinterpret_cast<void *>(0x6000);
static int refusal = 0, retain_refusal = 0, destroyed = 0;
static void *log_function, *log_data, *async_function, *async_data;
static bool synchronous = false;

static void run(const Work &one) {
    if (one.kind == 0)
        reinterpret_cast<Function>(one.function)(one.data);
    else
        reinterpret_cast<void (*)(void *, int, void *)>(one.function)(one.stream, one.status, one.data);
}
static int enqueue(const Work &one) {
    if (refusal) return refusal;
    if (synchronous)
        run(one);
    else
        queue.push_back(one);
    return 0;
}

extern "C" {
void refuse(int with) { refusal = with; }
void refuse_to_retain(int with) { retain_refusal = with; }
void call_at_once(int yes) { synchronous = yes; }
int destroyed_handles() { return destroyed; }
void *queued_data() { return queue.empty() ? nullptr : queue.back().data; }
void drain() {
    std::thread([] {
        for (auto work = std::move(queue); const Work &one : work) run(one);
    }).join();
}
void drain_at_exit() { std::atexit(drain); }
void drain_twice() {
    auto again = queue;
    drain();
    queue = again;
    drain();
}
void launch() {
    std::thread([] {
        for (const Work &one : graph.nodes) run(one);
    }).join();
}
void run_when_told(int told, int done) {
    std::thread([told, done, work = std::move(queue)] {
        char byte;
        if (read(told, &byte, 1) != 1) return;
        for (const Work &one : work) run(one);
        if (write(done, &byte, 1) != 1) return;
    }).detach();
}

int cudaRuntimeGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cudaGetLastError() { return 0; }
int cudaStreamCreateWithPriority(void **stream, unsigned, int) {
    static unsigned long next = 0x5000;
    *stream = reinterpret_cast<void *>(next += 0x10);
    return 0;
}
int cudaStreamDestroy(void *) {
    ++destroyed;
    return 0;
}
int cudaStreamQuery(void *) { return 0; }
int cudaLaunchHostFunc(void *stream, void *function, void *data) {
    const Work work{0, function, data, stream, 0};
    if (stream != capturing || refusal) return enqueue(work);
    graph.nodes.push_back(work);
    return 0;
}
int cudaStreamAddCallback(void *stream, void *function, void *data, unsigned) {
    return enqueue({1, function, data, stream, 700});
}
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *, void **out, void *, void *,
                             void *) {
    *status = stream == capturing;
    if (out && *status) *out = &graph;
    return 0;
}
int cudaUserObjectCreate(void **object, void *data, Function destroy, unsigned, unsigned) {
    if (refusal) return refusal;
    *object = new Object{data, destroy};
    return 0;
}
int cudaUserObjectRelease(void *object, unsigned) {
    auto *one = static_cast<Object *>(object);
    std::thread([one] { one->destroy(one->data); }).join();
    delete one;
    return 0;
}
int cudaGraphRetainUserObject(void *, void *object, unsigned, unsigned) {
    if (retain_refusal) return retain_refusal;
    graph.objects.push_back(static_cast<Object *>(object));
    return 0;
}
int cudaGraphDestroy(void *) {
    for (Object *one : std::exchange(graph.objects, {})) cudaUserObjectRelease(one, 1);
    graph.nodes.clear();
    return 0;
}
int cudaLogsRegisterCallback(void *function, void *data, void **handle) {
    if (refusal) return refusal;
    log_function = function;
    log_data = data;
    *handle = reinterpret_cast<void *>(0x7000);
    return 0;
}
int cudaLogsUnregisterCallback(void *) { return refusal; }
void log_line() {
    char text[] = "out of luck";
    std::thread([&] {
        reinterpret_cast<void (*)(void *, int, char *, size_t)>(log_function)(log_data, 1, text, 11);
    }).join();
}
int cudaDeviceRegisterAsyncNotification(int, void *function, void *data, void **handle) {
    async_function = function;
    async_data = data;
    *handle = reinterpret_cast<void *>(0x8000);
    return 0;
}
int cudaDeviceUnregisterAsyncNotification(int, void *) { return 0; }
void notify() {
    std::thread([] {
        auto *call = reinterpret_cast<void (*)(void *, void *, void *)>(async_function);
        struct {
            int type;
            unsigned long long bytes;
        } info{1, 4096};
        call(&info, async_data, reinterpret_cast<void *>(0x8000));
    }).join();
}
}
