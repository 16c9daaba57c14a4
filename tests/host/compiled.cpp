// Calls what the output of nvcc and of hipcc calls for a program with one kernel and one managed variable:
// its start-up code, three launches by <<<...>>>, its end. Prints the codes. Signatures: crt/host_runtime.h
// of CUDA 11.8 (cudaLaunchKernel) and 13.0 (__cudaLaunchKernel), hip_platform.cpp of ROCm/clr.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

struct dim3 {
    unsigned x, y, z;
};

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, dim3 *, dim3 *,
                            int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, void *);
int __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
int __cudaGetKernel(void **, const void *);
int __cudaLaunchKernel(void *, dim3, dim3, void **, size_t, void *);
int __cudaLaunchKernel_ptsz(void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaGetLastError();
int cudaStreamCreate(void **);
int cudaDeviceSynchronize();
int cudaFree(void *);

void **__hipRegisterFatBinary(const void *);
void __hipUnregisterFatBinary(void **);
void __hipRegisterFunction(void **, const void *, char *, const char *, unsigned, void *, void *, dim3 *,
                           dim3 *, int *);
void __hipRegisterVar(void **, void *, char *, char *, int, size_t, int, int);
void __hipRegisterManagedVar(void *, void **, void *, const char *, size_t, unsigned);
int __hipPushCallConfiguration(dim3, dim3, size_t, void *);
int __hipPopCallConfiguration(dim3 *, dim3 *, size_t *, void **);
int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int hipLaunchByPtr(const void *);
int hipGetLastError();
}

namespace {

enum class Output { cuda_11, cuda_13, cuda_13_per_thread, hip, hip_by_pointer };
Output output;

void **image;
int shadow, *managed; // of `__device__ int shadow; __managed__ int counted = 7;`
int seven = 7;
void *stream;

// `__global__ void scale(float *, int)`, as the host has it.
void scale(float *values, int count) {
    void *arguments[] = {&values, &count};
    dim3 grid, block;
    size_t shared;
    void *on;
    if (output == Output::hip_by_pointer) {
        hipLaunchByPtr(reinterpret_cast<const void *>(scale));
        return;
    }
    const bool hip = output == Output::hip;
    static void *kernel;
    if (!hip && output != Output::cuda_11)
        std::printf("kernel %d\n", __cudaGetKernel(&kernel, reinterpret_cast<const void *>(scale)));
    if (hip ? __hipPopCallConfiguration(&grid, &block, &shared, &on)
            : __cudaPopCallConfiguration(&grid, &block, &shared, &on))
        return;
    std::printf("%u %u %u, %u %u %u, %zu, %d\n", grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                on == stream);
    const void *function = reinterpret_cast<const void *>(scale);
    if (hip)
        hipLaunchKernel(function, grid, block, arguments, shared, on);
    else if (output == Output::cuda_11)
        cudaLaunchKernel(function, grid, block, arguments, shared, on);
    else
        (output == Output::cuda_13 ? __cudaLaunchKernel : __cudaLaunchKernel_ptsz)(kernel, grid, block,
                                                                                   arguments, shared, on);
}

void unregister() {
    output < Output::hip ? __cudaUnregisterFatBinary(image) : __hipUnregisterFatBinary(image);
}

void start(const char *name) {
    static char code[64];
    char *const host = reinterpret_cast<char *>(&shadow);
    const char *const function = reinterpret_cast<const char *>(scale);
    if (output < Output::hip) {
        image = __cudaRegisterFatBinary(code);
        __cudaRegisterFunction(image, function, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr,
                               nullptr);
        __cudaRegisterVar(image, host, host, "shadow", 0, sizeof shadow, 0, 0);
        __cudaRegisterManagedVar(image, reinterpret_cast<void **>(&managed), nullptr, "counted", 0,
                                 sizeof(int), 0, 0);
        __cudaRegisterFatBinaryEnd(image);
    } else {
        image = __hipRegisterFatBinary(code);
        __hipRegisterFunction(image, function, nullptr, name, ~0u, nullptr, nullptr, nullptr, nullptr,
                              nullptr);
        __hipRegisterVar(image, host, host, host, 0, sizeof shadow, 0, 0);
        __hipRegisterManagedVar(image, reinterpret_cast<void **>(&managed), &seven, "counted", sizeof(int),
                                4);
    }
    std::atexit(unregister);
}

} // namespace

int main(int, char **arguments) {
    output = static_cast<Output>(std::atoi(arguments[1]));
    const bool hip = output >= Output::hip;
    start("_Z5scalePfi");
    cudaStreamCreate(&stream);
    for (int turn = 0; turn < 3; ++turn) {
        const dim3 grid{2, 3, 1}, block{32, 1, 1};
        // What scale<<<grid, block, 64, stream>>>(nullptr, turn) becomes.
        if (!(hip ? static_cast<unsigned>(__hipPushCallConfiguration(grid, block, 64, stream))
                  : __cudaPushCallConfiguration(grid, block, 64, stream)))
            scale(nullptr, turn);
        std::printf("launch %d\n", hip ? hipGetLastError() : cudaGetLastError());
    }
    if (!hip) __cudaInitModule(image);
    std::printf("managed %d\n", *managed);
    *managed = 5;
    std::printf("free %d, device %d\n", cudaFree(managed), cudaDeviceSynchronize());
    // A function that nobody registered.
    const auto *stranger = reinterpret_cast<const void *>(unregister);
    std::printf("stranger %d\n", hip ? hipLaunchKernel(stranger, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr)
                                     : cudaLaunchKernel(stranger, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr));
}
