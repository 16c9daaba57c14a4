// Reading levels and cubes: twelve floats a place, which are x, y, z, a layer, then gradients by x and by y of
// four each; a level of detail is where the former begin.
#define PLACE                                                                                             \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                        \
    if (i >= n) return;                                                                                   \
    const float *p = at + 12 * i, *g = p + 4, *h = p + 8;                                                 \
    float x = p[0], y = p[1], z = p[2];                                                                 \
    int layer = (int)p[3];                                                                                \
    float2 g2 = make_float2(g[0], g[1]), h2 = make_float2(h[0], h[1]);                                    \
    float4 g4 = make_float4(g[0], g[1], g[2], 0), h4 = make_float4(h[0], h[1], h[2], 0);                  \
    float4 made = make_float4(0, 0, 0, 0)

// kind: 0 to 6 for 1d, 2d, 3d, a1d, a2d, cube and acube.
extern "C" __global__ void at_base(cudaTextureObject_t t, const float *at, float4 *out, int n, int kind) {
    PLACE;
    switch (kind) {
    case 0: made = tex1D<float4>(t, x); break;
    case 1: made = tex2D<float4>(t, x, y); break;
    case 2: made = tex3D<float4>(t, x, y, z); break;
    case 3: made = tex1DLayered<float4>(t, x, layer); break;
    case 4: made = tex2DLayered<float4>(t, x, y, layer); break;
    case 5: made = texCubemap<float4>(t, x, y, z); break;
    case 6: made = texCubemapLayered<float4>(t, x, y, z, layer); break;
    }
    out[i] = made;
}

extern "C" __global__ void by_level(cudaTextureObject_t t, const float *at, float4 *out, int n, int kind) {
    PLACE;
    switch (kind) {
    case 0: made = tex1DLod<float4>(t, x, g[0]); break;
    case 1: made = tex2DLod<float4>(t, x, y, g[0]); break;
    case 2: made = tex3DLod<float4>(t, x, y, z, g[0]); break;
    case 3: made = tex1DLayeredLod<float4>(t, x, layer, g[0]); break;
    case 4: made = tex2DLayeredLod<float4>(t, x, y, layer, g[0]); break;
    case 5: made = texCubemapLod<float4>(t, x, y, z, g[0]); break;
    case 6: made = texCubemapLayeredLod<float4>(t, x, y, z, layer, g[0]); break;
    }
    out[i] = made;
}

extern "C" __global__ void by_gradients(cudaTextureObject_t t, const float *at, float4 *out, int n, int kind) {
    PLACE;
    switch (kind) {
    case 0: made = tex1DGrad<float4>(t, x, g[0], h[0]); break;
    case 1: made = tex2DGrad<float4>(t, x, y, g2, h2); break;
    case 2: made = tex3DGrad<float4>(t, x, y, z, g4, h4); break;
    case 3: made = tex1DLayeredGrad<float4>(t, x, layer, g[0], h[0]); break;
    case 4: made = tex2DLayeredGrad<float4>(t, x, y, layer, g2, h2); break;
    case 5: made = texCubemapGrad<float4>(t, x, y, z, g4, h4); break;
    case 6: made = texCubemapLayeredGrad<float4>(t, x, y, z, layer, g4, h4); break;
    }
    out[i] = made;
}

// A level's or a cube's texels, each with its number written over it.
extern "C" __global__ void through_surface(cudaSurfaceObject_t s, float4 *out, int width, int height, int depth,
                                           int kind) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height * depth) return;
    int x = i % width * 16, y = i / width % height, z = i / width / height;
    float4 number = make_float4(i, 1, 2, 3);
    if (kind == 0) out[i] = surf1Dread<float4>(s, x), surf1Dwrite(number, s, x);
    if (kind == 1) out[i] = surf2Dread<float4>(s, x, y), surf2Dwrite(number, s, x, y);
    if (kind == 2) out[i] = surf3Dread<float4>(s, x, y, z), surf3Dwrite(number, s, x, y, z);
    if (kind == 4) out[i] = surf2DLayeredread<float4>(s, x, y, z), surf2DLayeredwrite(number, s, x, y, z);
    if (kind == 5) out[i] = surfCubemapread<float4>(s, x, y, z), surfCubemapwrite(number, s, x, y, z);
    if (kind == 6)
        out[i] = surfCubemapLayeredread<float4>(s, x, y, z), surfCubemapLayeredwrite(number, s, x, y, z);
}

extern "C" __global__ void count_levels(cudaTextureObject_t t, int *out) {
    asm("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(*out) : "l"(t));
}

extern "C" __global__ void gathers(cudaTextureObject_t t, const float *at, float4 *out, int n, int) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2Dgather<float4>(t, at[12 * i], at[12 * i + 1], 1);
}
