// What hipRTC 5.2 declares before a source and the headers of C's library rely on, in a form that only serves
// to compile.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef signed int int32_t;
typedef signed long long int64_t;

// clang-format off
#define DECLARE(name) template <class T> __device__ T name(T);
DECLARE(abs) DECLARE(acos) DECLARE(acosf) DECLARE(acosh) DECLARE(acoshf) DECLARE(asin) DECLARE(asinf)
DECLARE(asinh) DECLARE(asinhf) DECLARE(atan) DECLARE(atanf) DECLARE(atan2) DECLARE(atan2f) DECLARE(atanh)
DECLARE(atanhf) DECLARE(cbrt) DECLARE(cbrtf) DECLARE(ceil) DECLARE(ceilf) DECLARE(copysign) DECLARE(copysignf)
DECLARE(cos) DECLARE(cosf) DECLARE(cosh) DECLARE(coshf) DECLARE(erf) DECLARE(erff) DECLARE(erfc)
DECLARE(erfcf) DECLARE(exp) DECLARE(expf) DECLARE(exp2) DECLARE(exp2f) DECLARE(expm1) DECLARE(expm1f)
DECLARE(fabs) DECLARE(fabsf) DECLARE(fdim) DECLARE(fdimf) DECLARE(floor) DECLARE(floorf) DECLARE(fma)
DECLARE(fmaf) DECLARE(fmax) DECLARE(fmaxf) DECLARE(fmin) DECLARE(fminf) DECLARE(fmod) DECLARE(fmodf)
DECLARE(frexp) DECLARE(frexpf) DECLARE(hypot) DECLARE(hypotf) DECLARE(ilogb) DECLARE(ilogbf) DECLARE(isfinite)
DECLARE(isinf) DECLARE(isnan) DECLARE(ldexp) DECLARE(ldexpf) DECLARE(lgamma) DECLARE(lgammaf) DECLARE(llrint)
DECLARE(llrintf) DECLARE(llround) DECLARE(llroundf) DECLARE(log) DECLARE(logf) DECLARE(log10) DECLARE(log10f)
DECLARE(log1p) DECLARE(log1pf) DECLARE(log2) DECLARE(log2f) DECLARE(logb) DECLARE(logbf) DECLARE(lrint)
DECLARE(lrintf) DECLARE(lround) DECLARE(lroundf) DECLARE(modf) DECLARE(modff) DECLARE(nan) DECLARE(nanf)
DECLARE(nearbyint) DECLARE(nearbyintf) DECLARE(nextafter) DECLARE(nextafterf) DECLARE(remainder)
DECLARE(remainderf) DECLARE(remquo) DECLARE(remquof) DECLARE(rint) DECLARE(rintf) DECLARE(round)
DECLARE(roundf) DECLARE(scalbln) DECLARE(scalblnf) DECLARE(scalbn) DECLARE(scalbnf) DECLARE(signbit)
DECLARE(sin) DECLARE(sinf) DECLARE(sinh) DECLARE(sinhf) DECLARE(sqrt) DECLARE(sqrtf) DECLARE(tan)
DECLARE(tanf) DECLARE(tanh) DECLARE(tanhf) DECLARE(tgamma) DECLARE(tgammaf) DECLARE(trunc) DECLARE(truncf)
DECLARE(labs) DECLARE(llabs)
#define DECLARE_PAIR(name) template <class T> __device__ T name(T, T);
DECLARE_PAIR(pow) DECLARE_PAIR(powf) DECLARE_PAIR(atan2) DECLARE_PAIR(copysign) DECLARE_PAIR(fmax)
DECLARE_PAIR(fmin) DECLARE_PAIR(hypot)
    // clang-format on

    template <class T>
    __device__ T fma(T, T, T);
__device__ void sincosf(float, float *, float *);
__device__ void sincos(double, double *, double *);
__device__ unsigned __float_as_uint(float);
__device__ float __uint_as_float(unsigned);
__device__ float __double2float_rz(double);
struct Index {
    unsigned x, y, z;
};
extern __device__ const Index threadIdx, blockIdx, blockDim;
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void __assert_fail(const char *, const char *, unsigned, const char *);
__device__ void *malloc(__SIZE_TYPE__);
__device__ void free(void *);
__device__ void *memcpy(void *, const void *, __SIZE_TYPE__);
__device__ void *memset(void *, int, __SIZE_TYPE__);
__device__ long long clock();
