// What the tests need of hipBLAS, on the host's memory: the real library makes no handle without a GPU. The names are
// those that its header has with HIPBLAS_V2.
#include <complex>
#include <cstdint>
#include <cstring>

using Complex = std::complex<float>;
enum { OK, NO_HANDLE, ALLOC_FAILED, INVALID, INVALID_ENUM = 10, N = 111, T, C, UPPER = 121, LEFT = 141, RIGHT };
struct Handle { void *stream; int mode; } handle;
static int handles;

template <class Element, class Number>
int gemm(Handle *of, int ta, int tb, Number m, Number n, Number k, Element alpha, const Element *a, Number lda,
         const Element *b, Number ldb, Element beta, Element *c, Number ldc) {
  if (of != &handle) return NO_HANDLE;
  if (ta < N || ta > C || tb < N || tb > C) return INVALID_ENUM;
  for (Number col = 0; col < n; ++col)
    for (Number row = 0; row < m; ++row) {
      Element sum{};
      for (Number at = 0; at < k; ++at)
        sum += a[ta != N ? at + row * lda : row + at * lda] * b[tb != N ? col + at * ldb : at + col * ldb];
      Element &to = c[row + col * ldc];
      to = alpha * sum + (beta == Element{} ? Element{} : beta * to);
    }
  return OK;
}

extern "C" {

const char *hipblasStatusToString(int code) { return code == INVALID ? "HIPBLAS_STATUS_INVALID_VALUE" : "the text"; }
int hipblasCreate(Handle **out) { return ++handles, *out = &handle, OK; }
int hipblasDestroy(Handle *one) { return one == &handle ? --handles, OK : NO_HANDLE; }
int standin_handles() { return handles; }
int hipblasSetStream(Handle *one, void *stream) { return one->stream = stream, OK; }
int hipblasGetStream(Handle *one, void **stream) { return *stream = one->stream, OK; }
int hipblasSetPointerMode(Handle *one, int mode) { return one->mode = mode, OK; }
int hipblasGetPointerMode(Handle *one, int *mode) { return *mode = one->mode, OK; }

int hipblasSgemm(Handle *of, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc) {
  return gemm<float>(of, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
int hipblasDgemm_64(Handle *of, int ta, int tb, int64_t m, int64_t n, int64_t k, const double *alpha, const double *a,
                    int64_t lda, const double *b, int64_t ldb, const double *beta, double *c, int64_t ldc) {
  return gemm<double>(of, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
int hipblasCgemm_v2(Handle *of, int ta, int tb, int m, int n, int k, const Complex *alpha, const Complex *a, int lda,
                    const Complex *b, int ldb, const Complex *beta, Complex *c, int ldc) {
  return gemm<Complex>(of, ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
// The form with AMD's own struct of two numbers, which nothing calls.
int hipblasCgemm(...) { return INVALID; }
int hipblasHgemm(Handle *, int, int, int, int, int, const void *alpha, const void *, int, const void *, int,
                 const void *beta, void *c, int) {
  std::memcpy(c, alpha, 2), std::memcpy(static_cast<char *>(c) + 2, beta, 2);
  return OK;
}
// Of HIP_R_32F = 0, with HIPBLAS_COMPUTE_32F = 2 and HIPBLAS_GEMM_DEFAULT = 160.
int hipblasGemmEx_v2(Handle *of, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int atype,
                     int lda, const void *b, int btype, int ldb, const void *beta, void *c, int ctype, int ldc,
                     int compute, int algorithm) {
  if (atype || btype || ctype || compute != 2 || algorithm != 160) return INVALID_ENUM;
  return gemm<float>(of, ta, tb, m, n, k, *(const float *)alpha, (const float *)a, lda, (const float *)b, ldb,
                     *(const float *)beta, (float *)c, ldc);
}
int hipblasStrsm(Handle *, int side, int uplo, int op, int diag, int m, int n, const float *alpha, const float *a,
                 int lda, float *b, int ldb) {
  if (side != LEFT || uplo != UPPER || op != N || diag != 131 || m != 1 || lda != 1 || ldb != 1) return INVALID_ENUM;
  for (int at = 0; at < n; ++at) b[at] *= *alpha / *a;
  return OK;
}
int hipblasSdot(Handle *, int n, const float *x, int incx, const float *y, int incy, float *result) {
  if (incx < 0) x += (1 - n) * incx;
  for (*result = 0; n-- > 0; x += incx, y += incy) *result += *x * *y;
  return OK;
}
int hipblasIsamax(Handle *, int n, const float *x, int incx, int *result) {
  *result = 1;
  for (int at = 1; at < n; ++at)
    if (x[at * incx] > x[(*result - 1) * incx]) *result = at + 1;
  return OK;
}
int hipblasSgemvBatched(Handle *, int op, int, int, const float *alpha, const float *const a[], int,
                        const float *const x[], int, const float *beta, float *const y[], int, int count) {
  if (op != N) return INVALID_ENUM;
  for (int at = 0; at < count; ++at) *y[at] = *alpha * *a[at] * *x[at] + *beta * *y[at];
  return OK;
}
int hipblasSgetrsBatched(Handle *, int, int, int, float *const[], int, const int *, float *const[], int, int *info,
                         int) {
  return *info = -3, OK;
}
}
