// Products of matrices by a warp: wmma's fragments, and mma with ldmatrix.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// D = A * B + C of one warp; A and B lie by columns where the template says so, C and D by rows.
template <int M, int N, int K, class T, class Of, class Sum, class LayoutA, class LayoutB>
__device__ void multiply(const T *a, const T *b, const Sum *c, Sum *d, int lda, int ldb) {
    wmma::fragment<wmma::matrix_a, M, N, K, Of, LayoutA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, Of, LayoutB> right;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
    wmma::load_matrix_sync(left, a, lda);
    wmma::load_matrix_sync(right, b, ldb);
    wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

#define WMMA(NAME, M, N, K, T, OF, SUM)                                                              \
    extern "C" __global__ void NAME##_rc(const T *a, const T *b, const SUM *c, SUM *d) {             \
        multiply<M, N, K, T, OF, SUM, wmma::row_major, wmma::col_major>(a, b, c, d, K, K);           \
    }                                                                                                \
    extern "C" __global__ void NAME##_cr(const T *a, const T *b, const SUM *c, SUM *d) {             \
        multiply<M, N, K, T, OF, SUM, wmma::col_major, wmma::row_major>(a, b, c, d, M, N);           \
    }

WMMA(f16_16_16_16_f32, 16, 16, 16, half, half, float)
WMMA(f16_32_8_16_f32, 32, 8, 16, half, half, float)
WMMA(f16_8_32_16_f32, 8, 32, 16, half, half, float)
WMMA(f16_16_16_16_f16, 16, 16, 16, half, half, half)
WMMA(f16_32_8_16_f16, 32, 8, 16, half, half, half)
WMMA(bf16_16_16_16_f32, 16, 16, 16, __nv_bfloat16, __nv_bfloat16, float)
WMMA(bf16_32_8_16_f32, 32, 8, 16, __nv_bfloat16, __nv_bfloat16, float)
WMMA(bf16_8_32_16_f32, 8, 32, 16, __nv_bfloat16, __nv_bfloat16, float)
WMMA(tf32_16_16_8_f32, 16, 16, 8, float, wmma::precision::tf32, float)
WMMA(s8_16_16_16_s32, 16, 16, 16, signed char, signed char, int)
WMMA(u8_8_32_16_s32, 8, 32, 16, unsigned char, unsigned char, int)
WMMA(f64_8_8_4_f64, 8, 8, 4, double, double, double)

// C of 64 x 64 from shared memory, 16 x 8 for each warp: ldmatrix, then mma.m16n8k16.
extern "C" __global__ void tiled(const half *a, const half *b, float *c) {
    constexpr int n = 64;
    __shared__ __align__(16) half left[16][n], right[n][8];
    const int row = 16 * blockIdx.y, column = 8 * blockIdx.x, lane = threadIdx.x;
    for (int i = lane; i < 16 * n; i += 32) left[i / n][i % n] = a[(row + i / n) * n + i % n];
    for (int i = lane; i < n * 8; i += 32) right[i / 8][i % 8] = b[(i / 8) * n + column + i % 8];
    __syncwarp();
    float sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < n; k += 16) {
        unsigned x[4], y[2];
        const unsigned at_left = (unsigned)__cvta_generic_to_shared(&left[lane % 16][k + lane / 16 * 8]);
        const unsigned at_right = (unsigned)__cvta_generic_to_shared(&right[k + lane % 16][0]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                     : "r"(at_left));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(y[0]), "=r"(y[1])
                     : "r"(at_right));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 4; ++i)
        c[(row + lane / 4 + i / 2 * 8) * n + column + lane % 4 * 2 + i % 2] = sum[i];
}
