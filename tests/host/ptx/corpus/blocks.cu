// Threads of a block with shared memory and barriers, and blocks with each other.
extern "C" {

__global__ void block_sum(const int *in, int *out) {
    __shared__ int values[256];
    values[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    for (int step = 128; step; step /= 2) {
        if (threadIdx.x < step) values[threadIdx.x] += values[threadIdx.x + step];
        __syncthreads();
    }
    if (!threadIdx.x) out[blockIdx.x] = values[0];
}

extern __shared__ int dynamic[];
__global__ void scan(const int *in, int *out) { // Hillis and Steele's
    int *from = dynamic, *to = dynamic + blockDim.x, at = threadIdx.x;
    from[at] = in[at];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        to[at] = from[at] + (at >= step ? from[at - step] : 0);
        __syncthreads();
        int *swap = from;
        from = to;
        to = swap;
    }
    out[at] = from[at];
}

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[y][x] = a[row * n + k + x];
        t[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < 16; ++j) sum += s[y][j] * t[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void transpose(const int *in, int *out, int n) {
    __shared__ int tile[32][33];
    for (int j = threadIdx.y; j < 32; j += blockDim.y)
        tile[j][threadIdx.x] = in[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += blockDim.y)
        out[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][j];
}

__global__ void histogram(const unsigned char *in, unsigned *out, int n) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&counts[in[i]], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

__global__ void counted_barriers(const int *in, int *out) {
    int all = __syncthreads_and(in[threadIdx.x] > 0), any = __syncthreads_or(in[threadIdx.x] > 90);
    int count = __syncthreads_count(in[threadIdx.x] & 1);
    out[threadIdx.x] = all * 10000 + any * 1000 + count;
}

// Half of the threads leave; the barrier is for the others alone.
__global__ void early_exit(int *out) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x & 1) return;
    atomicAdd(&sum, 1);
    __syncthreads();
    out[threadIdx.x / 2] = sum;
}

// One warp makes, another takes: named barriers with counts.
__global__ void make_and_take(int *out) {
    __shared__ int room[32];
    int lane = threadIdx.x & 31;
    for (int turn = 0; turn < 4; ++turn) {
        if (threadIdx.x < 32) {
            room[lane] = turn * 100 + lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[turn * 32 + lane] = room[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}

__device__ int lock;
__global__ void lock_in_a_warp(volatile int *out, int times) {
    for (int turn = 0; turn < times; ++turn) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&lock, 0, 1) == 0) {
                *out = *out + 1;
                __threadfence();
                atomicExch(&lock, 0);
                done = true;
            }
        }
    }
}
__global__ void spin_lock_without_exit(volatile int *out) { // the holder isn't in the loop
    while (atomicCAS(&lock, 0, 1) != 0) {}
    *out = *out + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

// Each block waits for the one before it.
__global__ void chain(volatile int *done, volatile int *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x) {
            while (!done[blockIdx.x - 1]) {}
            out[blockIdx.x] = out[blockIdx.x - 1] + blockIdx.x;
        } else {
            out[0] = 0;
        }
        __threadfence();
        done[blockIdx.x] = 1;
    }
}
// Each block waits for the one behind it.
__global__ void chain_back(volatile int *done, int *out) {
    if (blockIdx.x + 1 < gridDim.x) {
        while (!done[blockIdx.x + 1]) {}
    }
    out[blockIdx.x] = 1;
    __threadfence();
    done[blockIdx.x] = 1;
}

__device__ unsigned finished;
__global__ void last_block(const int *in, int *partial, int *out) {
    __shared__ bool last;
    atomicAdd(&partial[blockIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&finished, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; ++i) sum += partial[i];
        *out = sum;
    }
}
}
