// What the tests need of cuBLAS, on the host's memory: the real library makes no handle without a GPU.
#include <complex>
#include <cstdint>
#include <cstring>

using Complex = std::complex<float>;
struct Handle { void *stream; int mode; } handle;
static int handles;

template <class T, class Number>
int gemm(bool ta, bool tb, Number m, Number n, Number k, T alpha, const T *a, Number lda, const T *b, Number ldb,
         T beta, T *c, Number ldc) {
  for (Number col = 0; col < n; ++col)
    for (Number row = 0; row < m; ++row) {
      T sum{};
      for (Number at = 0; at < k; ++at) sum += a[ta ? at + row * lda : row + at * lda] * b[tb ? col + at * ldb : at + col * ldb];
      T &to = c[row + col * ldc];
      to = alpha * sum + (beta == T{} ? T{} : beta * to);
    }
  return 0;
}

extern "C" {

const char *cublasGetStatusName(int) { return nullptr; }
const char *cublasGetStatusString(int code) { return code == 7 ? "the stand-in's text" : nullptr; }
int cublasCreate_v2(Handle **out) { return ++handles, *out = &handle, 0; }
int cublasDestroy_v2(Handle *one) { return one == &handle ? --handles, 0 : 1; }
int standin_handles() { return handles; }
int cublasSetStream_v2(Handle *one, void *stream) { return one->stream = stream, 0; }
int cublasGetStream_v2(Handle *one, void **stream) { return *stream = one->stream, 0; }
int cublasSetPointerMode_v2(Handle *one, int mode) { return one->mode = mode, 0; }
int cublasGetPointerMode_v2(Handle *one, int *mode) { return *mode = one->mode, 0; }

int cublasSgemm_v2(Handle *, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *b, int ldb, const float *beta, float *c, int ldc) {
  return gemm<float>(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
int cublasDgemm_v2_64(Handle *, int ta, int tb, int64_t m, int64_t n, int64_t k, const double *alpha, const double *a,
                      int64_t lda, const double *b, int64_t ldb, const double *beta, double *c, int64_t ldc) {
  return gemm<double>(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
int cublasCgemm_v2(Handle *, int ta, int tb, int m, int n, int k, const Complex *alpha, const Complex *a, int lda,
                   const Complex *b, int ldb, const Complex *beta, Complex *c, int ldc) {
  return gemm<Complex>(ta, tb, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);
}
// Gives back the bits of the scalars.
int cublasHgemm(Handle *, int, int, int, int, int, const void *alpha, const void *, int, const void *, int,
                const void *beta, void *c, int) {
  std::memcpy(c, alpha, 2), std::memcpy(static_cast<char *>(c) + 2, beta, 2);
  return 0;
}
int cublasSdot_v2(Handle *, int n, const float *x, int incx, const float *y, int incy, float *result) {
  if (incx < 0) x += (1 - n) * incx;
  for (*result = 0; n-- > 0; x += incx, y += incy) *result += *x * *y;
  return 0;
}
int cublasIsamax_v2(Handle *, int n, const float *x, int incx, int *result) {
  *result = 1;
  for (int at = 1; at < n; ++at)
    if (x[at * incx] > x[(*result - 1) * incx]) *result = at + 1;
  return 0;
}
// The sum of what two arrays of pointers lead to.
int cublasSgemvBatched(Handle *, int, int, int, const float *, const float *const *a, int, const float *const *x, int,
                       const float *, float *const *y, int, int count) {
  for (int at = 0; at < count; ++at) *y[at] = *a[at] + *x[at];
  return 0;
}
int cublasSgetrsBatched(Handle *, int, int, int, const float *const *, int, const int *, float *const *, int,
                        int *info, int) {
  return *info = -3, 0;
}
int cublasSgemmGroupedBatched(Handle *, const int *ta, const int *, const int *m, const int *n, const int *k,
                              const float *alpha, const float *const *, const int *, const float *const *, const int *,
                              const float *, float *const c[], const int *, int groups, const int *size) {
  for (int at = 0; at < groups; ++at) *c[at] = alpha[at] * m[at] * n[at] * k[at] * size[at] + ta[at];
  return 0;
}
}
