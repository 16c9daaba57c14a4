// Eight threads over shared and own streams of the host runtime; built with sanitizers, it must stay silent.
#include "cuda_runtime/enumerators.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
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
cudaError_t cudaGetLastError();
}
} // namespace pygpu::cuda

using namespace pygpu::cuda;

namespace {

void check(cudaError_t status, const char *call, int line) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %d\n", line, call, static_cast<int>(status));
    std::abort();
}
#define CHECK(call) check(call, #call, __LINE__)

struct Shared {
    cudaStream_t blocking, free;
    std::atomic<int> called{0};
};

void work(Shared &shared, int number, int turns) {
    constexpr size_t size = 100'000;
    cudaStream_t own;
    cudaEvent_t event;
    void *pinned;
    CHECK(cudaStreamCreateWithFlags(&own, number % 2));
    CHECK(cudaEventCreateWithFlags(&event, 0));
    CHECK(cudaHostAlloc(&pinned, size, 0));
    std::vector<char> sent(size, static_cast<char>(number)), back(size);
    for (int turn = 0; turn < turns; ++turn) {
        cudaStream_t streams[] = {own, shared.blocking, shared.free, nullptr};
        cudaStream_t stream = streams[turn % 4], other = streams[(turn + 1) % 4];
        void *device, *queued;
        CHECK(cudaMalloc(&device, size));
        CHECK(cudaMallocAsync(&queued, size, stream));
        CHECK(cudaMemcpyAsync(device, sent.data(), size, cudaMemcpyHostToDevice, stream));
        CHECK(cudaMemcpyAsync(queued, device, size, cudaMemcpyDeviceToDevice, stream));
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaStreamWaitEvent(other, event, 0));
        std::memset(pinned, 0, size);
        CHECK(cudaMemcpyAsync(pinned, queued, size, cudaMemcpyDeviceToHost, other));
        CHECK(cudaLaunchHostFunc(
            other, [](void *counter) { ++*static_cast<std::atomic<int> *>(counter); }, &shared.called));
        CHECK(cudaFreeAsync(queued, other));
        cudaStreamQuery(stream);
        CHECK(cudaStreamSynchronize(other));
        if (std::memcmp(pinned, sent.data(), size)) check(cudaErrorUnknown, "compare", __LINE__);
        CHECK(cudaMemsetAsync(device, 1, size, stream));
        // The default stream doesn't wait for non-blocking ones.
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaMemcpy(back.data(), device, size, cudaMemcpyDeviceToHost));
        if (turn % 8 == 0) CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(device));
    }
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(own));
    CHECK(cudaFreeHost(pinned));
}

} // namespace

int main(int count, char **arguments) {
    const int turns = count > 1 ? std::atoi(arguments[1]) : 100;
    Shared shared{};
    CHECK(cudaStreamCreateWithFlags(&shared.blocking, 0));
    CHECK(cudaStreamCreateWithFlags(&shared.free, 1));
    std::vector<std::thread> threads;
    for (int number = 1; number <= 8; ++number)
        threads.emplace_back([&, number] { work(shared, number, turns); });
    for (std::thread &thread : threads)
        thread.join();
    CHECK(cudaDeviceSynchronize());
    if (shared.called != 8 * turns) check(cudaErrorUnknown, "callbacks", __LINE__);
    std::puts("fine");
}
