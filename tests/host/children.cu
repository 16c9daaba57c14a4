// A program for nvcc -rdc=true, with children_add.cu: kernels launch kernels, copy and set.
#include <cstdio>

extern __device__ void add_to(int *sum, double value);

__global__ void add(int *values, char index, double value) { add_to(values + index, value); }
// Each instance has 20 KB of shared memory, and 20 instances have more than a block.
template <int which> __global__ void instance(int *sum) {
    __shared__ int room[5000];
    room[threadIdx.x] = which;
    __syncthreads();
    if (!threadIdx.x) atomicAdd(sum, room[blockDim.x - 1]);
}
template <int which> void launch_all(int *sum) {
    instance<which><<<1, 64>>>(sum);
    if constexpr (which > 1) launch_all<which - 1>(sum);
}

__global__ void mul(int *value) { *value *= 10; }
__global__ void allocate(int *value) {
    int *memory = nullptr;
    *value = cudaMalloc(&memory, 4 * sizeof(int)) == cudaSuccess && memory && cudaFree(memory) == cudaSuccess;
}

__global__ void descend(int *values, int depth) {
    if (!depth) return;
    mul<<<1, 1, 0, cudaStreamTailLaunch>>>(values + 1); // after all else of this grid
    add<<<2, 3>>>(values, 1, 2.0);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    descend<<<1, 1, 0, stream>>>(values, depth - 1);
    cudaStreamDestroy(stream);
    cudaMemcpyAsync(values + 2, values + 1, sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
    cudaMemsetAsync(values + 3, depth, sizeof(int), nullptr);
    add<<<1, 2000>>>(values, 1, 2.0); // too many threads
    const int first = cudaPeekAtLastError(), second = cudaGetLastError();
    std::printf("%d %d %d %s\n", first, second, cudaGetLastError(), cudaGetErrorString(cudaSuccess));
}

__global__ void astray(int *values) { cudaMemsetAsync(values + 4, 0, 1 << 20, nullptr); }

int main() {
    int *values, back[4] = {};
    cudaMalloc(&values, sizeof back);
    cudaMemset(values, 0, sizeof back);
    descend<<<1, 1>>>(values, 2);
    std::printf("%d ", cudaMemcpy(back, values, sizeof back, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d %x\n", back[0], back[1], back[2], back[3]);
    cudaMemset(values, 0, sizeof back);
    launch_all<20>(values);
    allocate<<<1, 1>>>(values + 1);
    std::printf("%d ", cudaMemcpy(back, values, sizeof back, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", back[0], back[1]);
    astray<<<1, 1>>>(values);
    std::printf("%d\n", cudaDeviceSynchronize());
}
