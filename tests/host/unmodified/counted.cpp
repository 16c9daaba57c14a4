// A program that was linked to CUDA's shared runtime.
#include <cstdio>
#include <cstring>

extern "C" int cudaGetDeviceCount(int *count);
extern "C" int cudaMalloc(void **pointer, unsigned long size);
extern "C" int cudaMemcpy(void *to, const void *from, unsigned long size, int kind);
extern "C" int cudaMemset(void *to, int value, unsigned long size);
extern "C" int cudaFree(void *pointer);

int main() {
    int count = 0;
    if (int code = cudaGetDeviceCount(&count)) return std::printf("code %d\n", code), 1;
    void *memory = nullptr;
    char bytes[4] = {};
    cudaMalloc(&memory, 4);
    cudaMemset(memory, 'x', 3);
    cudaMemcpy(bytes, memory, 3, 2);
    cudaFree(memory);
    std::printf("%d %s\n", count, bytes);
    return 0;
}
