/* A program for CUDA's runtime, in plain C: it copies through a device, and uses a driver's context that is gone. */
#include <stddef.h>
#include <stdio.h>

int cudaGetDeviceCount(int *count);
int cudaMalloc(void **pointer, size_t size);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaFree(void *pointer);
int cuCtxGetCurrent(void **context);
int cuDevicePrimaryCtxReset(int device);
int cuMemAlloc_v2(unsigned long long *pointer, size_t size);

int main(void) {
    int count = 0, number = 42, back = 0;
    void *memory = NULL;
    unsigned long long other = 0;
    if (cudaGetDeviceCount(&count) || cudaMalloc(&memory, sizeof number)) return 1;
    if (cudaMemcpy(memory, &number, sizeof number, 1) || cudaMemcpy(&back, memory, sizeof back, 2)) return 2;
    if (cudaFree(memory) || cuDevicePrimaryCtxReset(0)) return 3;
    printf("%d devices, %d, released %d\n", count, back, cuMemAlloc_v2(&other, 16));
    return 0;
}
