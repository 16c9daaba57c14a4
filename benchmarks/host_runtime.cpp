// How fast the host runtime is: prints a line "name value unit" for each figure. Linked to libpygpu_host.so.
#include "cuda_runtime/enumerators.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

namespace pygpu::cuda {
extern "C" {
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaSetDevice(int);
}
} // namespace pygpu::cuda

using namespace pygpu::cuda;

namespace {

// Seconds of one call, the best of five rounds.
template <class Body> double time(int turns, Body body) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int turn = 0; turn < turns; ++turn) body();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        best = took.count() / turns < best ? took.count() / turns : best;
    }
    return best;
}

void say(const char *name, double value, const char *unit) {
    std::printf("%-44s %10.2f %s\n", name, value, unit);
}

} // namespace

int main() {
    const auto to_device = cudaMemcpyHostToDevice;
    say("cudaSetDevice", time(1000000, [] { cudaSetDevice(0); }) * 1e9, "ns");
    for (const size_t size : {64ul, 4096ul, 65536ul, 1ul << 20, 64ul << 20, 1ul << 30}) {
        char name[64];
        const auto once = [size] {
            void *pointer;
            cudaMalloc(&pointer, size);
            cudaFree(pointer);
        };
        std::snprintf(name, sizeof name, "cudaMalloc + cudaFree, %zu KiB", size >> 10);
        say(size < 1024 ? "cudaMalloc + cudaFree, 64 bytes" : name, time(20000, once) * 1e6, "us");
    }
    void *device, *pinned;
    cudaMalloc(&device, 4096);
    cudaMallocHost(&pinned, 4096);
    char tiny[64] = "";
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, 1);
    for (cudaStream_t one : {cudaStream_t{}, stream}) {
        say(one ? "copy of 64 B async + sync, own stream" : "copy of 64 B async + sync, null stream",
            time(100000,
                 [&] {
                     cudaMemcpyAsync(device, tiny, 64, to_device, one);
                     cudaStreamSynchronize(one);
                 }) *
                1e6,
            "us");
    }
    say(
        "the same by the stream's thread (128 KiB)",
        [&] {
            void *a, *b;
            cudaMalloc(&a, 1 << 17);
            cudaMallocHost(&b, 1 << 17);
            return time(2000,
                        [&] {
                            cudaMemcpyAsync(a, b, 1 << 17, to_device, stream);
                            cudaStreamSynchronize(stream);
                        }) *
                   1e6;
        }(),
        "us");
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, 0);
    say("cudaEventRecord", time(100000, [&] { cudaEventRecord(event, nullptr); }) * 1e9, "ns");
    for (const size_t size : {size_t{4} << 10, size_t{1} << 20, size_t{256} << 20}) {
        std::vector<char> from(size, 1), plain(size, 2);
        void *to;
        cudaMalloc(&to, size);
        const int turns = size > (1 << 24) ? 2 : size > (1 << 16) ? 500 : 50000;
        const double ours = time(turns, [&] { cudaMemcpy(to, from.data(), size, to_device); });
        const double theirs = time(turns, [&] {
            std::memcpy(plain.data(), from.data(), size);
            __asm__ volatile("" : : "r"(plain.data()) : "memory");
        });
        char name[64];
        std::snprintf(name, sizeof name, "cudaMemcpy, %zu KiB: %.1f GB/s, to memcpy", size >> 10,
                      size / ours / 1e9);
        say(name, theirs / ours, "x as fast");
        cudaFree(to);
    }
    if (std::fflush(stdout) || std::ferror(stdout)) {
        std::perror("host_runtime");
        return 1;
    }
}
