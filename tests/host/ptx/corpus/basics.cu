// Arithmetic, memory and control flow of one thread at a time.
extern "C" {

__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__global__ void recursion(int *out) { out[threadIdx.x] = fibonacci(threadIdx.x % 13); }

// Powers by a switch that becomes a table of branches.
__global__ void table_of_branches(const int *kind, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long v = i;
    switch (kind[i]) {
    case 0: v = v * 3 + 1; break;
    case 1: v ^= 0x5555; break;
    case 2: v = v / 7; break;
    case 3: v = v % 11; break;
    case 4: v = -v; break;
    case 5: v <<= 3;
    case 6: v += 6; break;
    case 7: v = v * v; break;
    default: v = 77;
    }
    out[i] = v;
}

// An array of each thread's own, indexed by data.
__global__ void local_arrays(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine[16];
    for (int k = 0; k < 16; ++k) mine[k] = in[(i + k) % n];
    for (int a = 1; a < 16; ++a) {
        int value = mine[a], b = a;
        for (; b && mine[b - 1] > value; --b) mine[b] = mine[b - 1];
        mine[b] = value;
    }
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum += mine[k] * (k + 1);
    out[i] = sum + mine[in[i] & 15];
}

__global__ void collatz(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = i + 1;
    int steps = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        ++steps;
    }
    out[i] = steps;
}

struct Pair {
    short first;
    double second;
};
__global__ void by_value(Pair pair, char letter, double *out) {
    out[threadIdx.x] = pair.first * pair.second + letter + threadIdx.x;
}

__device__ int counter = 40;
__constant__ int factors[4] = {2, 3, 5, 7};
__device__ int *pointer_to_counter = &counter;
__global__ void variables(int *out) {
    out[threadIdx.x] = *pointer_to_counter * factors[threadIdx.x & 3];
    if (threadIdx.x == 0) counter = 41;
}

__device__ __noinline__ int twice(int v) { return 2 * v; }
__device__ __noinline__ int square(int v) { return v * v; }
__device__ __noinline__ int negate(int v) { return -v; }
typedef int (*Operation)(int);
__device__ Operation operations[3] = {twice, square, negate};
__global__ void pointers_to_functions(const int *which, int *out) {
    out[threadIdx.x] = operations[which[threadIdx.x]](threadIdx.x + 1);
}

struct Shape {
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int side;
    __device__ Square(int side) : side(side) {}
    __device__ int area() const override { return side * side; }
};
struct Bar : Shape {
    int length;
    __device__ Bar(int length) : length(length) {}
    __device__ int area() const override { return length; }
};
__global__ void virtual_functions(int *out) {
    Square square(threadIdx.x);
    Bar bar(threadIdx.x * 10);
    const Shape *shape = threadIdx.x % 3 ? static_cast<const Shape *>(&square) : &bar;
    out[threadIdx.x] = shape->area();
}

__global__ void heap(int *out) {
    int *mine = new int[threadIdx.x + 1];
    for (int i = 0; i <= threadIdx.x; ++i) mine[i] = i;
    int sum = 0;
    for (int i = 0; i <= threadIdx.x; ++i) sum += mine[i];
    delete[] mine;
    out[threadIdx.x] = sum;
}

__global__ void vectors(const float4 *in, float4 *out, const uchar4 *bytes, short2 *shorts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = in[i];
    out[i] = make_float4(v.w, v.z, v.y, v.x);
    uchar4 b = bytes[i];
    shorts[i] = make_short2(b.x - b.y, b.z * b.w);
}

__global__ void shapes(int *out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] =
        threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z;
}
}
