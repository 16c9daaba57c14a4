// What lanes of a warp do together.
extern "C" {

__global__ void shuffles(const int *in, int *out) {
    int v = in[threadIdx.x], n = blockDim.x, i = threadIdx.x;
    out[0 * n + i] = __shfl_sync(~0u, v, i * 7);
    out[1 * n + i] = __shfl_up_sync(~0u, v, 3);
    out[2 * n + i] = __shfl_down_sync(~0u, v, 5);
    out[3 * n + i] = __shfl_xor_sync(~0u, v, 9);
    out[4 * n + i] = __shfl_sync(~0u, v, 2, 8);
    out[5 * n + i] = __shfl_up_sync(~0u, v, 2, 16);
    out[6 * n + i] = __shfl_down_sync(~0u, v, 1, 4);
    out[7 * n + i] = __shfl_xor_sync(~0u, v, 6, 8);
}

__global__ void votes(const int *in, unsigned *out) {
    int v = in[threadIdx.x], i = threadIdx.x, n = blockDim.x;
    out[0 * n + i] = __ballot_sync(~0u, v & 1);
    out[1 * n + i] = __any_sync(~0u, v > 50);
    out[2 * n + i] = __all_sync(~0u, v > 3);
    out[3 * n + i] = __match_any_sync(~0u, v & 3);
    out[4 * n + i] = __activemask();
    if (i & 1)
        out[5 * n + i] = __ballot_sync(0xaaaaaaaau, v & 2);
    else
        out[5 * n + i] = __ballot_sync(0x55555555u, v & 4);
    out[6 * n + i] = __popc(__ballot_sync(~0u, v < 20)) + __ffs(v) + __clz(v) + __brev(v);
}

// The two halves of each warp by themselves, with masks of their own at one place.
__global__ void halves(const int *in, int *out) {
    unsigned mask = threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu;
    int v = in[threadIdx.x];
    for (int step = 8; step; step /= 2) v += __shfl_xor_sync(mask, v, step);
    out[threadIdx.x] = v + __popc(__ballot_sync(mask, in[threadIdx.x] & 1));
}

// Lanes come to one place one after another.
__global__ void gathered_late(const int *in, int *out) {
    int v = in[threadIdx.x], lane = threadIdx.x & 31;
    for (int turn = 0; turn < lane; ++turn) v = v * 3 + 1;
    __syncwarp();
    out[threadIdx.x] = __shfl_sync(~0u, v, 31 - lane);
}

__device__ int slots[32];
__global__ void exchange_by_syncwarp(int *out) {
    int lane = threadIdx.x;
    if (lane < 16) {
        slots[lane] = lane + 100;
        __syncwarp();
        out[lane] = slots[31 - lane];
    } else {
        slots[lane] = lane + 200;
        __syncwarp();
        out[lane] = slots[31 - lane];
    }
}

#if __CUDA_ARCH__ >= 800
__global__ void reductions(const int *in, int *out) {
    int v = in[threadIdx.x], i = threadIdx.x, n = blockDim.x;
    out[0 * n + i] = __reduce_add_sync(~0u, v);
    out[1 * n + i] = __reduce_min_sync(~0u, v);
    out[2 * n + i] = __reduce_max_sync(~0u, (unsigned)v);
    out[3 * n + i] = __reduce_and_sync(~0u, (unsigned)v);
    out[4 * n + i] = __reduce_or_sync(~0u, (unsigned)v);
    out[5 * n + i] = __reduce_xor_sync(~0u, (unsigned)v);
}
#endif

__global__ void some_lanes(const int *in, int *out) {
    if (threadIdx.x % 3 == 0) {
        unsigned active = __activemask();
        int v = in[threadIdx.x];
        int leader = __ffs(active) - 1;
        out[threadIdx.x] = __shfl_sync(active, v, leader) + __popc(active);
    }
}
}
