// The functions that cublas_api.h declares for C++ alone, since __half and __nv_bfloat16 are classes. In C the numbers
// are `void`. The arrays of pointers lie on the device, so they are memory, too.
#define HALF_GEMM(name, number)                                                                                    \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, number m,       \
                        number n, number k, const void *alpha, const void *A, number lda, const void *B,           \
                        number ldb, const void *beta, void *C, number ldc);
#define HALF_GEMM_BATCHED(name, number)                                                                            \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, number m,       \
                        number n, number k, const void *alpha, const void *Aarray, number lda, const void *Barray, \
                        number ldb, const void *beta, const void *Carray, number ldc, number batchCount);
#define HALF_GEMM_STRIDED(name, number)                                                                            \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, number m,       \
                        number n, number k, const void *alpha, const void *A, number lda, long long strideA,       \
                        const void *B, number ldb, long long strideB, const void *beta, void *C, number ldc,       \
                        long long strideC, number batchCount);
#define HALF_GEMV_BATCHED(name, number)                                                                            \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, number m, number n, const float *alpha,    \
                        const void *Aarray, number lda, const void *xarray, number incx, const float *beta,        \
                        const void *yarray, number incy, number batchCount);
#define HALF_GEMV_STRIDED(name, number)                                                                            \
    cublasStatus_t name(cublasHandle_t handle, cublasOperation_t trans, number m, number n, const float *alpha,    \
                        const void *A, number lda, long long strideA, const void *x, number incx,                  \
                        long long stridex, const float *beta, void *y, number incy, long long stridey,             \
                        number batchCount);

#ifndef __cplusplus
HALF_GEMM(cublasHgemm, int)
HALF_GEMM(cublasHgemm_64, int64_t)
HALF_GEMM_BATCHED(cublasHgemmBatched, int)
HALF_GEMM_BATCHED(cublasHgemmBatched_64, int64_t)
HALF_GEMM_STRIDED(cublasHgemmStridedBatched, int)
HALF_GEMM_STRIDED(cublasHgemmStridedBatched_64, int64_t)
HALF_GEMV_BATCHED(cublasHSHgemvBatched, int)
HALF_GEMV_BATCHED(cublasHSHgemvBatched_64, int64_t)
HALF_GEMV_BATCHED(cublasHSSgemvBatched, int)
HALF_GEMV_BATCHED(cublasHSSgemvBatched_64, int64_t)
HALF_GEMV_BATCHED(cublasTSTgemvBatched, int)
HALF_GEMV_BATCHED(cublasTSTgemvBatched_64, int64_t)
HALF_GEMV_BATCHED(cublasTSSgemvBatched, int)
HALF_GEMV_BATCHED(cublasTSSgemvBatched_64, int64_t)
HALF_GEMV_STRIDED(cublasHSHgemvStridedBatched, int)
HALF_GEMV_STRIDED(cublasHSHgemvStridedBatched_64, int64_t)
HALF_GEMV_STRIDED(cublasHSSgemvStridedBatched, int)
HALF_GEMV_STRIDED(cublasHSSgemvStridedBatched_64, int64_t)
HALF_GEMV_STRIDED(cublasTSTgemvStridedBatched, int)
HALF_GEMV_STRIDED(cublasTSTgemvStridedBatched_64, int64_t)
HALF_GEMV_STRIDED(cublasTSSgemvStridedBatched, int)
HALF_GEMV_STRIDED(cublasTSSgemvStridedBatched_64, int64_t)
#endif
