// What the tests need of hipSOLVER, on the host's memory: the real library makes no handle without a GPU. Matrices lie
// by columns, as LAPACK's. Functions with and without Dn are the same code, and sizes of work areas are bytes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

enum { OK, NOT_INITIALIZED, INVALID_VALUE = 3, INVALID_ENUM = 10 };
enum { N = 111, LOWER = 122, LEFT = 141, RIGHT, VECTOR = 202, R_64F = 1 };
static int made;
static char context, params, sweeps, refactor;
static void *stream;

static int cholesky(int64_t n, double *a, int64_t lda) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < j; ++k)
      for (int64_t i = j; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * a[j + k * lda];
    if (!(a[j + j * lda] > 0)) return int(j) + 1;
    const double root = std::sqrt(a[j + j * lda]);
    for (int64_t i = j; i < n; ++i) a[i + j * lda] /= root;
  }
  return 0;
}
// By Jacobi's rotations.
static void eigenvalues(int n, double *a, int lda, double *w) {
  for (int sweep = 0; sweep < 60; ++sweep)
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        if (std::abs(a[p + q * lda]) < 1e-300) continue;
        const double angle = 0.5 * std::atan2(2 * a[p + q * lda], a[q + q * lda] - a[p + p * lda]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (int k = 0; k < n; ++k) {
          const double x = a[k + p * lda], y = a[k + q * lda];
          a[k + p * lda] = c * x - s * y, a[k + q * lda] = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = a[p + k * lda], y = a[q + k * lda];
          a[p + k * lda] = c * x - s * y, a[q + k * lda] = s * x + c * y;
        }
      }
  for (int k = 0; k < n; ++k) w[k] = a[k + k * lda];
  std::sort(w, w + n);
}
static void touch(void *area, std::size_t bytes) { std::fill_n(static_cast<char *>(area), bytes, 1); }

extern "C" {

int standin_made() { return made; }

int hipsolverCreate(char **out) { return ++made, *out = &context, OK; }
int hipsolverDestroy(char *one) { return one ? --made, OK : NOT_INITIALIZED; }
int hipsolverDnCreate(char **out) { return hipsolverCreate(out); }
int hipsolverDnDestroy(char *one) { return hipsolverDestroy(one); }
int hipsolverDnCreateParams(char **out) { return ++made, *out = &params, OK; }
int hipsolverDnDestroyParams(char *) { return --made, OK; }
int hipsolverCreateSyevjInfo(char **out) { return ++made, *out = &sweeps, OK; }
int hipsolverDestroySyevjInfo(char *) { return --made, OK; }
int hipsolverDnDestroySyevjInfo(char *one) { return hipsolverDestroySyevjInfo(one); }
int hipsolverRfCreate(char **out) { return ++made, *out = &refactor, OK; }
int hipsolverRfDestroy(char *) { return --made, OK; }
int hipsolverSetStream(char *, void *to) { return stream = to, OK; }
int hipsolverGetStream(char *, void **out) { return *out = stream, OK; }
int hipsolverDnSetStream(char *, void *to) { return stream = to, OK; }
int hipsolverDnGetStream(char *, void **out) { return *out = stream, OK; }

int hipsolverDgetrf_bufferSize(char *, int m, int, double *, int, int *size) { return *size = m * 3 + 1, OK; }
int hipsolverDgetrf(char *, int m, int n, double *a, int lda, double *work, int size, int *pivots, int *info) {
  touch(work, size);
  *info = 0;
  for (int j = 0; j < std::min(m, n); ++j) {
    int at = j;
    for (int i = j; i < m; ++i)
      if (std::abs(a[i + j * lda]) > std::abs(a[at + j * lda])) at = i;
    pivots[j] = at + 1;
    for (int k = 0; k < n; ++k) std::swap(a[j + k * lda], a[at + k * lda]);
    if (a[j + j * lda] == 0) {
      *info = *info ? *info : j + 1;
      continue;
    }
    for (int i = j + 1; i < m; ++i) a[i + j * lda] /= a[j + j * lda];
    for (int k = j + 1; k < n; ++k)
      for (int i = j + 1; i < m; ++i) a[i + k * lda] -= a[i + j * lda] * a[j + k * lda];
  }
  return OK;
}
int hipsolverDgetrs_bufferSize(char *, int, int, int, double *, int, int *, double *, int, int *size) {
  return *size = 0, OK;
}
int hipsolverDgetrs(char *, int trans, int n, int nrhs, double *a, int lda, int *pivots, double *b, int ldb, double *,
                    int, int *info) {
  if (trans != N) return INVALID_ENUM;
  for (int c = 0; c < nrhs; ++c, b += ldb) {
    for (int j = 0; j < n; ++j) std::swap(b[j], b[pivots[j] - 1]);
    for (int j = 0; j < n; ++j)
      for (int i = j + 1; i < n; ++i) b[i] -= a[i + j * lda] * b[j];
    for (int j = n - 1; j >= 0; --j) {
      b[j] /= a[j + j * lda];
      for (int i = 0; i < j; ++i) b[i] -= a[i + j * lda] * b[j];
    }
  }
  return *info = 0, OK;
}
int hipsolverDnDgetrf_bufferSize(char *one, int m, int n, double *a, int lda, int *size) {
  return hipsolverDgetrf_bufferSize(one, m, n, a, lda, size);
}
int hipsolverDnDgetrf(char *one, int m, int n, double *a, int lda, double *work, int *pivots, int *info) {
  return hipsolverDgetrf(one, m, n, a, lda, work, m * 3 + 1, pivots, info);
}
int hipsolverDnDgetrs(char *one, int trans, int n, int nrhs, const double *a, int lda, const int *pivots, double *b,
                      int ldb, int *info) {
  return hipsolverDgetrs(one, trans, n, nrhs, const_cast<double *>(a), lda, const_cast<int *>(pivots), b, ldb, nullptr,
                         0, info);
}
int hipsolverDnXpotrf_bufferSize(char *, char *, int, int64_t n, int, const void *, int64_t, int, size_t *device,
                                 size_t *host) {
  return *device = std::size_t(n) * 8, *host = 3, OK;
}
int hipsolverDnXpotrf(char *, char *, int uplo, int64_t n, int type, void *a, int64_t lda, int compute, void *device,
                      size_t bytes, void *host, size_t on_host, int *info) {
  if (uplo != LOWER || type != R_64F || compute != R_64F) return INVALID_ENUM;
  touch(device, bytes), touch(host, on_host);
  return *info = cholesky(n, static_cast<double *>(a), lda), OK;
}
int hipsolverDpotrfBatched(char *, int, int n, double **a, int lda, double *work, int bytes, int *info, int count) {
  touch(work, bytes);
  for (int k = 0; k < count; ++k) info[k] = cholesky(n, a[k], lda);
  return OK;
}
int hipsolverDnDsyevj_bufferSize(char *, int, int, int n, const double *, int, const double *, int *size, char *) {
  return *size = n * 8, OK;
}
int hipsolverDnDsyevj(char *, int jobz, int uplo, int n, double *a, int lda, double *w, double *work, int size,
                      int *info, char *one) {
  if (jobz != VECTOR || uplo != LOWER || one != &sweeps) return INVALID_ENUM;
  touch(work, size);
  return eigenvalues(n, a, lda, w), *info = 0, OK;
}
// The number of steps isn't written.
int hipsolverDDgesv(char *one, int n, int nrhs, double *a, int lda, int *pivots, double *b, int ldb, double *x, int ldx,
                    void *work, size_t bytes, int *, int *info) {
  touch(work, bytes);
  hipsolverDgetrf(one, n, n, a, lda, nullptr, 0, pivots, info);
  for (int c = 0; c < nrhs; ++c) std::copy_n(b + c * ldb, n, x + c * ldx);
  return hipsolverDgetrs(one, N, n, nrhs, a, lda, pivots, x, ldx, nullptr, 0, info);
}
// A diagonal matrix on the host; row `singularity` is the first with a zero.
int hipsolverSpDcsrlsvcholHost(char *, int n, int nnz, void *descriptor, const double *values, const int *rows,
                               const int *columns, const double *b, double, int, double *x, int *singularity) {
  if (descriptor != &params || nnz != n) return INVALID_VALUE;
  *singularity = -1;
  for (int k = 0; k < n; ++k) {
    if (values[k] == 0) return *singularity = k, OK;
    x[columns[rows[k]]] = b[k] / values[k];
  }
  return OK;
}
int hipsolverRfAccessBundledFactorsDevice(char *, int *count, int **rows, int **columns, double **values) {
  static int indices[3] = {0, 1, 2};
  static double numbers[2] = {1.5, 2.5};
  return *count = 2, *rows = indices, *columns = indices + 1, *values = numbers, OK;
}
}
