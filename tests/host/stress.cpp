// Eight threads over shared and own streams of the host runtime, three devices, a lock that callbacks take; a
// forked child; captures and launches of graphs; exit with work in flight. Built with sanitizers, it must
// stay silent.
#include "cuda_runtime/enumerators.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace pygpu::cuda {
extern "C" {
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetLastError();
}
} // namespace pygpu::cuda
extern "C" int pygpu_host_pause(void *);

using namespace pygpu::cuda;

namespace {

void check(cudaError_t status, const char *call, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %d\n", line, call, static_cast<int>(status));
    std::abort();
}
#define CHECK(call) check(call, #call, __LINE__)

// Held by threads but while they are in a call that waits, and taken by callbacks: as an interpreter's lock.
std::mutex interpreter;

template <class Call> cudaError_t released(Call call) {
    interpreter.unlock();
    const cudaError_t status = call();
    interpreter.lock();
    return status;
}

struct Shared {
    cudaStream_t blocking, free;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int called = 0; // guarded by the interpreter's lock
};

void count_call(void *data) {
    std::lock_guard lock(interpreter);
    ++static_cast<Shared *>(data)->called;
}

void on_one_device(Shared &shared, int number, int turns) {
    constexpr size_t size = 100'000;
    cudaStream_t own;
    cudaEvent_t event;
    void *pinned;
    std::unique_lock lock(interpreter);
    CHECK(cudaStreamCreateWithFlags(&own, number % 2));
    CHECK(cudaEventCreateWithFlags(&event, 0));
    CHECK(cudaHostAlloc(&pinned, size, 0));
    std::vector<char> sent(size, static_cast<char>(number)), back(size);
    for (int turn = 0; turn < turns; ++turn) {
        cudaStream_t streams[] = {own, shared.blocking, shared.free, nullptr};
        cudaStream_t stream = streams[turn % 4], other = streams[(turn + 1) % 4];
        void *device, *queued;
        CHECK(released([&] { return cudaMalloc(&device, size); }));
        CHECK(released([&] { return cudaMallocAsync(&queued, size, stream); }));
        CHECK(released(
            [&] { return cudaMemcpyAsync(device, sent.data(), size, cudaMemcpyHostToDevice, stream); }));
        CHECK(released(
            [&] { return cudaMemcpyAsync(queued, device, size, cudaMemcpyDeviceToDevice, stream); }));
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaStreamWaitEvent(other, event, 0));
        std::memset(pinned, 0, size);
        CHECK(released([&] { return cudaMemcpyAsync(pinned, queued, size, cudaMemcpyDeviceToHost, other); }));
        CHECK(cudaLaunchHostFunc(other, count_call, &shared));
        CHECK(released([&] { return cudaFreeAsync(queued, other); }));
        cudaStreamQuery(stream);
        CHECK(released([&] { return cudaStreamSynchronize(other); }));
        if (std::memcmp(pinned, sent.data(), size)) check(cudaErrorUnknown, "compare", __LINE__);
        CHECK(cudaMemsetAsync(device, 1, size, stream));
        // The default stream doesn't wait for non-blocking ones.
        CHECK(released([&] { return cudaStreamSynchronize(stream); }));
        CHECK(released([&] { return cudaMemcpy(back.data(), device, size, cudaMemcpyDeviceToHost); }));
        if (turn % 8 == 0) CHECK(released(cudaDeviceSynchronize));
        CHECK(released([&] { return cudaFree(device); }));
    }
    CHECK(released([&] { return cudaEventSynchronize(event); }));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(own));
    CHECK(released([&] { return cudaFreeHost(pinned); }));
}

// Each thread sends bytes around three devices, on streams of theirs in order by events.
void around_devices(int number, int turns) {
    constexpr size_t size = 50'000;
    constexpr int devices = 3;
    cudaStream_t streams[devices];
    cudaEvent_t events[devices];
    void *memory[devices];
    for (int device = 0; device < devices; ++device) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaStreamCreateWithFlags(&streams[device], number % 2));
        CHECK(cudaEventCreateWithFlags(&events[device], 2));
        CHECK(cudaMallocAsync(&memory[device], size, streams[device]));
    }
    std::vector<char> sent(size, static_cast<char>(number)), back(size);
    for (int turn = 0; turn < turns; ++turn) {
        const int first = turn % devices;
        CHECK(cudaMemcpyAsync(memory[first], sent.data(), size, cudaMemcpyHostToDevice, streams[first]));
        for (int step = 0; step + 1 < devices; ++step) {
            const int from = (first + step) % devices, to = (from + 1) % devices;
            CHECK(cudaSetDevice(from));
            CHECK(cudaEventRecord(events[from], streams[from]));
            CHECK(cudaStreamWaitEvent(streams[to], events[from], 0));
            CHECK(cudaMemcpyPeerAsync(memory[to], to, memory[from], from, size, streams[to]));
        }
        const int last = (first + devices - 1) % devices;
        CHECK(cudaMemcpyAsync(back.data(), memory[last], size, cudaMemcpyDeviceToHost, streams[last]));
        CHECK(cudaStreamSynchronize(streams[last]));
        if (std::memcmp(back.data(), sent.data(), size)) check(cudaErrorUnknown, "compare", __LINE__);
        std::memset(back.data(), 0, size);
        CHECK(cudaMemcpyPeer(memory[first], first, memory[last], last, size));
        ++sent[0];
    }
    for (int device = 0; device < devices; ++device) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaFreeAsync(memory[device], streams[device]));
        CHECK(cudaStreamDestroy(streams[device])); // while the free is queued
        CHECK(cudaEventDestroy(events[device]));
    }
}

// Notes a fork and a join of two streams; `memory` has two pieces of that size.
cudaGraph_t capture(char *memory, size_t size, Shared &shared) {
    cudaStream_t first, second;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    for (cudaStream_t *stream : {&first, &second}) CHECK(cudaStreamCreateWithFlags(stream, 1));
    for (cudaEvent_t *event : {&forked, &joined}) CHECK(cudaEventCreateWithFlags(event, 2));
    CHECK(cudaStreamBeginCapture(first, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemsetAsync(memory, 1, size, first));
    CHECK(cudaEventRecord(forked, first));
    CHECK(cudaStreamWaitEvent(second, forked, 0));
    CHECK(cudaMemcpyAsync(memory + size, memory, size, cudaMemcpyDeviceToDevice, second));
    CHECK(cudaLaunchHostFunc(first, count_call, &shared));
    CHECK(cudaEventRecord(joined, second));
    CHECK(cudaStreamWaitEvent(first, joined, 0));
    CHECK(cudaStreamEndCapture(first, &graph));
    for (cudaStream_t stream : {first, second}) CHECK(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {forked, joined}) CHECK(cudaEventDestroy(event));
    return graph;
}

// Captures, and launches what it captured and what all threads share, which is looked at meanwhile.
void with_graphs(Shared &shared, int turns) {
    constexpr size_t size = 10'000;
    void *memory;
    cudaStream_t stream;
    CHECK(cudaMalloc(&memory, 2 * size));
    CHECK(cudaStreamCreateWithFlags(&stream, 1));
    for (int turn = 0; turn < turns; ++turn) {
        const cudaGraph_t graph = capture(static_cast<char *>(memory), size, shared);
        cudaGraphExec_t executable;
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        for (const cudaGraphExec_t one : {executable, shared.executable, executable})
            CHECK(cudaGraphLaunch(one, stream));
        size_t nodes = 0;
        CHECK(cudaGraphGetNodes(shared.graph, nullptr, &nodes));
        if (nodes != 3) check(cudaErrorUnknown, "nodes", __LINE__);
        CHECK(cudaGraphDestroy(graph));
        CHECK(cudaGraphExecDestroy(executable));
    }
    CHECK(cudaStreamSynchronize(stream));
    char last = 0;
    CHECK(cudaMemcpy(&last, static_cast<char *>(memory) + 2 * size - 1, 1, cudaMemcpyDeviceToHost));
    if (last != 1) check(cudaErrorUnknown, "contents", __LINE__);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(memory));
}

void launch_graphs(Shared &shared, int turns) {
    constexpr size_t size = 1000;
    void *memory;
    CHECK(cudaMalloc(&memory, 2 * size));
    shared.called = 0;
    shared.graph = capture(static_cast<char *>(memory), size, shared);
    CHECK(cudaGraphInstantiate(&shared.executable, shared.graph, 0));
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number) threads.emplace_back([&] { with_graphs(shared, turns); });
    for (std::thread &thread : threads) thread.join();
    CHECK(cudaDeviceSynchronize());
    if (shared.called != 4 * 3 * turns) check(cudaErrorUnknown, "callbacks", __LINE__);
    CHECK(cudaGraphExecDestroy(shared.executable));
    CHECK(cudaGraphDestroy(shared.graph));
    CHECK(cudaFree(memory));
}

void fork_once() {
    const pid_t child = fork();
    if (!child) {
        void *pointer;
        _exit(cudaMalloc(&pointer, 64) == cudaErrorInitializationError ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status) check(cudaErrorUnknown, "fork", __LINE__);
}

// What main leaves to exit: queued copies, a paused stream, a thread that waits.
void leave_work(Shared &shared) {
    constexpr size_t size = 1 << 20;
    void *device, *pinned;
    CHECK(cudaMalloc(&device, size));
    CHECK(cudaHostAlloc(&pinned, size, 0));
    pygpu_host_pause(shared.blocking);
    for (int turn = 0; turn < 64; ++turn) {
        CHECK(cudaMemcpyAsync(device, pinned, size, cudaMemcpyHostToDevice, shared.free));
        CHECK(cudaMemcpyAsync(device, pinned, size, cudaMemcpyHostToDevice, shared.blocking));
    }
    std::thread([stream = shared.blocking] { cudaStreamSynchronize(stream); }).detach();
}

} // namespace

int main(int count, char **arguments) {
    const int turns = count > 1 ? std::atoi(arguments[1]) : 60;
    setenv("PYGPU_HOST_DEVICES", "3", 1);
    for (const char *strict : {"0", "1"}) {
        const pid_t child = fork();
        if (child) {
            int status = 0;
            waitpid(child, &status, 0);
            if (status) return 1;
            continue;
        }
        setenv("PYGPU_HOST_STRICT", strict, 1);
        static Shared shared{}; // threads may outlive main's frame
        CHECK(cudaStreamCreateWithFlags(&shared.blocking, 0));
        CHECK(cudaStreamCreateWithFlags(&shared.free, 1));
        std::vector<std::thread> threads;
        for (int number = 1; number <= 8; ++number) {
            threads.emplace_back([&, number] { on_one_device(shared, number, turns); });
            if (number > 5) threads.emplace_back([number, turns] { around_devices(number, turns); });
        }
        for (std::thread &thread : threads) thread.join();
        CHECK(cudaDeviceSynchronize());
        if (shared.called != 8 * turns) check(cudaErrorUnknown, "callbacks", __LINE__);
        launch_graphs(shared, turns);
        fork_once();
        leave_work(shared);
        return 0;
    }
    std::puts("fine");
}
