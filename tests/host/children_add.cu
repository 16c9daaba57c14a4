// A function that children.cu's kernels call: nvcc -rdc=true links the two files.
static __device__ int called;

__device__ void add_to(int *sum, double value) {
    atomicAdd(&called, 1);
    atomicAdd(sum, static_cast<int>(value));
}
