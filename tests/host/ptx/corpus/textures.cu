// Reading textures and surfaces through objects.
#define AT int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; \
    float x = at[3 * i], y = at[3 * i + 1]

extern "C" __global__ void by_dimensions(cudaTextureObject_t t, const float *at, float4 *out, int n, int d) {
    AT;
    out[i] = d == 1 ? tex1D<float4>(t, x) : d == 2 ? tex2D<float4>(t, x, y) : tex3D<float4>(t, x, y, at[3 * i + 2]);
}

// In layers, of which the last two beyond the edges are clamped.
extern "C" __global__ void layers(cudaTextureObject_t t, const float *at, float4 *out, int n, int d) {
    AT;
    int layer = i % 6 - 1;
    out[i] = d == 1 ? tex1DLayered<float4>(t, x, layer) : tex2DLayered<float4>(t, x, y, layer);
}

// Of an array that has one.
extern "C" __global__ void levels(cudaTextureObject_t t, const float *at, float4 *out, int n, int d) {
    AT;
    float2 g = make_float2(.5f, 2.f);
    bool resident = true;
    out[i] = d == 1   ? tex2DLod<float4>(t, x, y, 3.f)
             : d == 2 ? tex2DGrad<float4>(t, x, y, g, g)
                      : tex2D<float4>(t, x, y, &resident);
    if (!resident) out[i].x = -1e9f;
}

extern "C" __global__ void gathers(cudaTextureObject_t t, const float *at, float4 *out, int n, int channel) {
    AT;
    out[i] = channel == 0 ? tex2Dgather<float4>(t, x, y, 0) : tex2Dgather<float4>(t, x, y, 3);
}

template <class T> __device__ void fetched(cudaTextureObject_t t, T *out, int n, int first) {
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(t, first + i);
}
template <class T> __device__ void read_2d(cudaTextureObject_t t, T *out, int width, int height) {
    int i = threadIdx.x;
    if (i < width * height) out[i] = tex2D<T>(t, i % width + .5f, i / width + .5f);
}
#define KIND(T)                                                                                           \
    extern "C" __global__ void fetch_##T(cudaTextureObject_t t, T *out, int n, int first) {               \
        fetched<T>(t, out, n, first);                                                                     \
    }                                                                                                     \
    extern "C" __global__ void read_##T(cudaTextureObject_t t, T *out, int w, int h) {                    \
        read_2d<T>(t, out, w, h);                                                                         \
    }
KIND(char) KIND(uchar2) KIND(uchar4) KIND(short) KIND(ushort2) KIND(short4)
KIND(int) KIND(uint2) KIND(int4) KIND(float) KIND(float2) KIND(float4)

extern "C" __global__ void queries(cudaTextureObject_t t, cudaSurfaceObject_t s, int *out) {
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("suq.width.b32 %0, [%1];" : "=r"(out[2]) : "l"(s));
    asm("suq.height.b32 %0, [%1];" : "=r"(out[3]) : "l"(s));
}

// A surface's texels, each with its mirror image in x, behind what lies beyond its edges.
extern "C" __global__ void surface(cudaSurfaceObject_t s, short2 *out, int width, int height, int beyond) {
    int x = (int)threadIdx.x - 1, y = (int)threadIdx.y - 1, at = threadIdx.y * blockDim.x + threadIdx.x;
    if (beyond == 0) out[at] = surf2Dread<short2>(s, x * 4, y, cudaBoundaryModeZero);
    if (beyond == 1) out[at] = surf2Dread<short2>(s, x * 4, y, cudaBoundaryModeClamp);
    short2 value = make_short2(100 + x, 100 + y);
    if (beyond == 2) surf2Dwrite(value, s, x * 4, y, cudaBoundaryModeZero);
    if (beyond == 3 && x < width && y < height && x >= 0 && y >= 0) surf2Dwrite(value, s, x * 4, y);
}
extern "C" __global__ void surfaces(cudaSurfaceObject_t s, float4 *out, int kind) {
    int i = threadIdx.x;
    if (kind == 0) surf1Dwrite(surf1Dread<float4>(s, 16 * (3 - i)), s, 16 * i);
    if (kind == 1) surf3Dwrite(make_float4(i, 1, 2, 3), s, 16 * (i & 3), i >> 2 & 1, i >> 3);
    if (kind == 2) out[i] = surf3Dread<float4>(s, 16 * (i & 3), i >> 2 & 1, i >> 3);
    if (kind == 3) out[i] = surf2DLayeredread<float4>(s, 16 * (i & 3), i >> 2 & 1, i >> 3);
}

extern "C" __global__ void fetch_one(cudaTextureObject_t t, float *out, int at) { *out = tex1Dfetch<float>(t, at); }
extern "C" __global__ void read_one(cudaTextureObject_t t, float *out, int x) { *out = tex2D<float>(t, x, 0.f); }
extern "C" __global__ void load_one(cudaSurfaceObject_t s, int *out, int x) { *out = surf2Dread<int>(s, x, 0); }
extern "C" __global__ void store_one(cudaSurfaceObject_t s, int *out, int x) { surf2Dwrite(7, s, x, 0); }
extern "C" __global__ void samples(cudaTextureObject_t t, float *out, int x) {
    asm("tex.2dms.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %5, %5, %5}];"
        : "=f"(out[0]), "=f"(out[1]), "=f"(out[2]), "=f"(out[3]) : "l"(t), "r"(x));
}

// Each thread reduces its number into texels of a line, at a byte: the operation is the texel's.
extern "C" __global__ void reduce(cudaSurfaceObject_t s, int past) {
    int value = threadIdx.x - 16;
    asm volatile("sured.b.add.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(0), "r"(value));
    asm volatile("sured.b.min.1d.s32.trap [%0, {%1}], %2;" ::"l"(s), "r"(4), "r"(value));
    asm volatile("sured.b.max.1d.u32.trap [%0, {%1}], %2;" ::"l"(s), "r"(8), "r"(value));
    asm volatile("sured.b.or.1d.b32.zero [%0, {%1}], %2;" ::"l"(s), "r"(12), "r"(1 << threadIdx.x));
    asm volatile("sured.b.and.1d.b32.clamp [%0, {%1}], %2;" ::"l"(s), "r"(16), "r"(~(1 << threadIdx.x)));
    asm volatile("sured.b.add.1d.u64.trap [%0, {%1}], %2;" ::"l"(s), "r"(24), "l"(1ull << 31 | threadIdx.x));
    asm volatile("sured.b.add.1d.s32.zero [%0, {%1}], %2;" ::"l"(s), "r"(past), "r"(1));
}
