// What pygpu's headers for device code declare, each name once, and kernels that convert short floats.
#include <pycuda-complex.hpp>
#include <pygpu/half.hpp>

using namespace pygpu;

template <class T> __device__ void same(T, T) {}
static_assert(sizeof(complex<float>) == 8 && alignof(complex<float>) == 8, "");
static_assert(sizeof(complex<double>) == 16 && alignof(complex<double>) == 16, "");
static_assert(complex<float>() == 0 && complex<double>(1, 2) != 1.0f, "");

extern "C" __global__ void compiles(complex<float> *f, complex<double> *d, half *h) {
    same(f[0] + 1, f[0]), same(2.0f * f[0], f[0]), same(f[0] / 2.0, d[0]), same(f[0] - d[0], d[0]);
    same(h[0] * f[0], f[0]), same(pow(f[0], 2), f[0]), same(h[0] + h[1], 0.0f);
    f[0] = d[0] * f[1], d[1] += f[0], d[1] = f[1], f[1] = 1, f[0] /= 2.0;
    volatile complex<float> *v = f;
    v[0] = v[1] + v[2], v[1] = v[0] * f[1], v[2] = f[0], v[3] = 1.0f;
#ifndef __HIP__
    __shared__ complex<double> shared[32];
    shared[threadIdx.x] = f[0], f[2] = shared[0];
#endif
    __shared__ half halves[32];
    halves[threadIdx.x] = 3, f[3] = halves[0];
    f[0] = real(f[0]) + imag(f[0]) + abs(f[0]) + arg(f[0]) + norm(f[0]) + polar(2.0f) + polar(1.0, 2.0);
    h[0] = isnan(f[0]) + isinf(f[0]) + isfinite(f[0]), h[0] += d[0].real(), h[1] = -h[0];
    f[0].real(1), d[0].imag(2), f[1] = pycuda::complex<float>(0, 1) + +f[0] - -f[1];
}

#define AT(array) array[blockIdx.x * blockDim.x + threadIdx.x]
#define KERNELS(type)                                                                                        \
    extern "C" __global__ void type##_widen(type *x, float *out) { AT(out) = AT(x); }                        \
    extern "C" __global__ void type##_of_float(float *x, type *out) { AT(out) = AT(x); }                     \
    extern "C" __global__ void type##_of_double(double *x, type *out) { AT(out) = AT(x); }                   \
    extern "C" __global__ void type##_of_long(long *x, type *out) { AT(out) = AT(x); }                       \
    extern "C" __global__ void type##_sum(type *x, type *out) {                                              \
        AT(out) = AT(x) + x[(blockIdx.x * blockDim.x + threadIdx.x) ^ 1];                                    \
    }
KERNELS(half)
KERNELS(bfloat16)
