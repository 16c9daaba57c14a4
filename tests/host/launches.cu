// A program for nvcc: launches of a kernel, of a template, and of a kernel by its address; a managed variable.
#include <cstdio>

__device__ int factor = 3;
__constant__ float table[4];
__managed__ int counted = 7;

__global__ void scale(float *values, int count) { values[threadIdx.x] = count * factor + table[0] + counted; }
template <class T> __global__ void add(T value) { atomicAdd(&counted, static_cast<int>(value)); }

int main() {
    float *values;
    int count = 5;
    std::printf("%d\n", cudaMalloc(&values, 64));
    cudaMemset(values, 0, 64);
    scale<<<1, 16, 128>>>(values, count);
    std::printf("%d\n", cudaGetLastError());
    add<<<dim3(2, 3), 4>>>(1.5);
    std::printf("%d\n", cudaGetLastError());
    void *arguments[] = {&values, &count};
    std::printf("%d\n", cudaLaunchKernel(scale, dim3(1), dim3(1), arguments, 0, nullptr));
    float back[16];
    std::printf("%d\n", cudaMemcpy(back, values, sizeof back, cudaMemcpyDeviceToHost));
    std::printf("%d %g %g\n", counted, back[0], back[1]);
}
