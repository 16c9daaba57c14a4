// Float, double and half arithmetic, and the math functions.
#include <cuda_fp16.h>

extern "C" {

__global__ void single_precision(const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i], b = y[i];
    out[0 * n + i] = __fadd_rn(a, b);
    out[1 * n + i] = __fsub_rn(a, b);
    out[2 * n + i] = __fmul_rn(a, b);
    out[3 * n + i] = __fdiv_rn(a, b);
    out[4 * n + i] = __fmaf_rn(a, b, 1.25f);
    out[5 * n + i] = __fsqrt_rn(fabsf(a));
    out[6 * n + i] = __frcp_rn(b);
    out[7 * n + i] = fminf(a, b);
    out[8 * n + i] = fmaxf(a, b);
    out[9 * n + i] = floorf(a);
    out[10 * n + i] = ceilf(a);
    out[11 * n + i] = truncf(a);
    out[12 * n + i] = rintf(a);
    out[13 * n + i] = copysignf(a, b);
    out[14 * n + i] = fmodf(a, b);
    out[15 * n + i] = __fadd_rz(a, b);
    out[16 * n + i] = __fadd_ru(a, b);
    out[17 * n + i] = __fadd_rd(a, b);
    out[18 * n + i] = __saturatef(a);
}

__global__ void double_precision(const double *x, const double *y, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i], b = y[i];
    out[0 * n + i] = __dadd_rn(a, b);
    out[1 * n + i] = __dmul_rn(a, b);
    out[2 * n + i] = __ddiv_rn(a, b);
    out[3 * n + i] = __fma_rn(a, b, -0.5);
    out[4 * n + i] = __dsqrt_rn(fabs(a));
    out[5 * n + i] = fmin(a, b);
    out[6 * n + i] = floor(a);
    out[7 * n + i] = rint(a);
    out[8 * n + i] = (double)(float)a;
    out[9 * n + i] = (double)(long long)a;
    out[10 * n + i] = (double)(int)a;
    out[11 * n + i] = (double)(unsigned)a;
}

__global__ void functions(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = x[i];
    out[0 * n + i] = sinf(a);
    out[1 * n + i] = cosf(a);
    out[2 * n + i] = expf(a);
    out[3 * n + i] = logf(fabsf(a) + 1e-3f);
    out[4 * n + i] = tanhf(a);
    out[5 * n + i] = powf(fabsf(a), 1.7f);
    out[6 * n + i] = rsqrtf(fabsf(a) + 0.1f);
    out[7 * n + i] = erff(a);
    out[8 * n + i] = atan2f(a, 2.f);
    out[9 * n + i] = cbrtf(a);
    out[10 * n + i] = lgammaf(fabsf(a) + 1);
}

__global__ void double_functions(const double *x, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double a = x[i];
    out[0 * n + i] = sin(a);
    out[1 * n + i] = exp(a);
    out[2 * n + i] = log(fabs(a) + 1e-3);
    out[3 * n + i] = tanh(a);
    out[4 * n + i] = pow(fabs(a), 1.7);
    out[5 * n + i] = 1 / (a + 100);
    out[6 * n + i] = atan(a);
    out[7 * n + i] = erf(a);
}

__global__ void half_precision(const __half *x, const __half *y, __half *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half a = x[i], b = y[i];
    out[0 * n + i] = __hadd_rn(a, b);
    out[1 * n + i] = __hmul_rn(a, b);
    out[2 * n + i] = __hfma(a, b, a);
    out[3 * n + i] = __float2half(__half2float(a) * 3.0f);
    out[4 * n + i] = __hmin(a, b);
    out[5 * n + i] = __hlt(a, b) ? a : b;
    __half2 both = __hadd2_rn(__halves2half2(a, b), __halves2half2(b, b));
    out[6 * n + i] = __low2half(both);
    out[7 * n + i] = __high2half(both);
    out[8 * n + i] = __int2half_rn(__half2int_rn(a));
    out[9 * n + i] = __hneg(a);
}

__global__ void integers(const int *x, const int *y, long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = x[i], b = y[i];
    unsigned u = a, v = b;
    out[0 * n + i] = a + b;
    out[1 * n + i] = a * b;
    out[2 * n + i] = b ? a / b : 0;
    out[3 * n + i] = v ? u % v : 0;
    out[4 * n + i] = (long long)a * b;
    out[5 * n + i] = __mulhi(a, b);
    out[6 * n + i] = __umulhi(u, v);
    out[7 * n + i] = __popc(u) + 100 * __clz(a);
    out[8 * n + i] = (long long)__brev(u);
    out[9 * n + i] = min(a, b) ^ max(u, v);
    out[10 * n + i] = __byte_perm(u, v, 0x6240);
    out[11 * n + i] = __funnelshift_l(u, v, b & 31);
    out[12 * n + i] = __sad(a, b, 7);
    out[13 * n + i] = (long long)((unsigned long long)u * v >> 5);
    out[14 * n + i] = a >> (b & 31);
    out[15 * n + i] = (short)a + (signed char)b;
    out[16 * n + i] = __mul24(a, b);
    out[17 * n + i] = __umul64hi((unsigned long long)u << 20, (unsigned long long)v << 17);
    out[18 * n + i] = (int)((float)a * 0.5f);
    out[19 * n + i] = __float2int_rn((float)b * 0.37f);
}
}
