// A program for nvcc: variables of its device code by symbols, attributes of kernels, and how many blocks
// run.
#include <cstdio>

__constant__ float table[4];
__device__ int counts[3] = {1, 2, 3};
float unknown;

__global__ void __launch_bounds__(256) look(float *out) {
    __shared__ float room[32];
    room[threadIdx.x] = table[threadIdx.x % 4];
    __syncthreads();
    out[threadIdx.x] = room[31 - threadIdx.x] + counts[threadIdx.x % 3];
    if (threadIdx.x == 0) counts[2] += 10;
}
__global__ void wide(float *out) {
    extern __shared__ float room[];
    room[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

int main() {
    const float given[4] = {1, 2, 4, 8};
    const int five = 5;
    std::printf("to %d %d\n", cudaMemcpyToSymbolAsync(table, given, sizeof given),
                cudaMemcpyToSymbol(counts, &five, sizeof five, sizeof five));
    float *out, back[32];
    cudaMalloc(&out, sizeof back);
    look<<<1, 32>>>(out);
    std::printf("ran %d\n", cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    std::printf("out %g %g %g %g\n", back[0], back[1], back[2], back[31]);
    int all[3] = {};
    std::printf("from %d", cudaMemcpyFromSymbol(all, counts, sizeof all));
    std::printf(" %d %d %d\n", all[0], all[1], all[2]);
    void *at;
    std::size_t size;
    std::printf("address %d", cudaGetSymbolAddress(&at, counts));
    std::printf(" %d\n", cudaMemcpy(all, at, sizeof all, cudaMemcpyDeviceToHost) || all[2] != 13);
    std::printf("size %d", cudaGetSymbolSize(&size, table));
    std::printf(" %zu\n", size);
    std::printf(
        "wrong %d %d %d %d\n", cudaMemcpyToSymbol(unknown, given, 4), cudaMemcpyToSymbol(table, given, 12, 8),
        cudaMemcpyToSymbol(table, given, 4, 0, cudaMemcpyDeviceToHost), cudaGetSymbolSize(&size, unknown));

    cudaFuncAttributes has{};
    std::printf("attributes %d", cudaFuncGetAttributes(&has, look));
    std::printf(" %d %zu %d %d\n", has.maxThreadsPerBlock, has.sharedSizeBytes, has.numRegs > 0,
                has.ptxVersion);
    int count = -1, least = -1, block = -1;
    std::printf("blocks");
    for (const int threads : {256, 257, 0}) {
        const int code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, look, threads, 0);
        std::printf(" %d %d", code, count);
    }
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    std::printf("\nbest %d", cudaOccupancyMaxPotentialBlockSize(&least, &block, look));
    std::printf(" %d %d\n", block, least == device.multiProcessorCount);

    const int large = 100000;
    wide<<<1, 32, large>>>(out);
    std::printf("large %d", cudaGetLastError());
    std::printf(" %d", cudaFuncSetAttribute(wide, cudaFuncAttributeMaxDynamicSharedMemorySize, large));
    wide<<<1, 32, large>>>(out);
    std::printf(" %d", cudaGetLastError());
    std::printf(" %d\n", cudaOccupancyAvailableDynamicSMemPerBlock(&size, wide, 1, 32) || size < large);
    std::printf("last %d", cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    std::printf(" %g\n", back[31]);
}
