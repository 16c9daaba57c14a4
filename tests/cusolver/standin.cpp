// What the tests need of cuSOLVER, on the host's memory: the real library makes no handle without a GPU.
// Matrices lie by columns, as LAPACK's.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

static int made;
static char context, params, sweeps;
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

extern "C" {

int standin_made() { return made; }
void *standin_stream() { return stream; }

int cusolverGetVersion(int *value) { return *value = 12004, 0; }
int cusolverDnCreate(char **out) { return ++made, *out = &context, 0; }
int cusolverDnDestroy(char *) { return --made, 0; }
int cusolverDnCreateParams(char **out) { return ++made, *out = &params, 0; }
int cusolverDnDestroyParams(char *) { return --made, 0; }
int cusolverDnCreateSyevjInfo(char **out) { return ++made, *out = &sweeps, 0; }
int cusolverDnDestroySyevjInfo(char *) { return --made, 0; }
int cusolverDnSetStream(char *, void *to) { return stream = to, 0; }
int cusolverDnGetStream(char *, void **out) { return *out = stream, 0; }

int cusolverDnDgetrf_bufferSize(char *, int m, int, double *, int, int *size) { return *size = m, 0; }
int cusolverDnDgetrf(char *, int m, int n, double *a, int lda, double *work, int *pivots, int *info) {
  std::fill_n(work, m, 0.0);
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
  return 0;
}
int cusolverDnDgetrs(char *, int trans, int n, int nrhs, const double *a, int lda, const int *pivots, double *b,
                     int ldb, int *info) {
  if (trans) return 7;
  for (int c = 0; c < nrhs; ++c, b += ldb) {
    for (int j = 0; j < n; ++j) std::swap(b[j], b[pivots[j] - 1]);
    for (int j = 0; j < n; ++j)
      for (int i = j + 1; i < n; ++i) b[i] -= a[i + j * lda] * b[j];
    for (int j = n - 1; j >= 0; --j) {
      b[j] /= a[j + j * lda];
      for (int i = 0; i < j; ++i) b[i] -= a[i + j * lda] * b[j];
    }
  }
  return *info = 0;
}
int cusolverDnXpotrf_bufferSize(char *, char *, int, int64_t n, int, const void *, int64_t, int, size_t *device,
                                size_t *host) {
  return *device = std::size_t(n) * 8, *host = 3, 0;
}
int cusolverDnXpotrf(char *, char *, int, int64_t n, int type, void *a, int64_t lda, int, void *device, size_t bytes,
                     void *host, size_t on_host, int *info) {
  if (type != 1) return 7;
  std::fill_n(static_cast<char *>(device), bytes, 1), std::fill_n(static_cast<char *>(host), on_host, 1);
  return *info = cholesky(n, static_cast<double *>(a), lda), 0;
}
int cusolverDnDpotrfBatched(char *, int, int n, double **a, int lda, int *info, int count) {
  for (int k = 0; k < count; ++k) info[k] = cholesky(n, a[k], lda);
  return 0;
}
int cusolverDnDsyevj_bufferSize(char *, int, int, int n, const double *, int, const double *, int *size, char *) {
  return *size = n, 0;
}
int cusolverDnDsyevj(char *, int, int, int n, double *a, int lda, double *w, double *work, int size, int *info,
                     char *) {
  std::fill_n(work, size, 0.0);
  return eigenvalues(n, a, lda, w), *info = 0;
}

// The interface for several devices. A work area has one address for each device.
int cusolverMgCreate(char **out) { return ++made, *out = &context, 0; }
int cusolverMgDestroy(char *) { return --made, 0; }
int cusolverMgDeviceSelect(char *, int count, int *devices) { return count == 2 && devices[1] == devices[0] ? 0 : 3; }
int cusolverMgCreateDeviceGrid(char **out, int, int columns, const int *devices, int mapping) {
  return columns == 2 && devices[0] == 0 && mapping == 0 ? ++made, *out = &params, 0 : 3;
}
int cusolverMgDestroyGrid(char *) { return --made, 0; }
int cusolverMgCreateMatrixDesc(char **out, int64_t, int64_t, int64_t, int64_t, int, const char *) {
  return ++made, *out = &sweeps, 0;
}
int cusolverMgDestroyMatrixDesc(char *) { return --made, 0; }
// The sum of the first number of each device's part.
int cusolverMgPotrf(char *, int, int, void **parts, int, int, char *, int, void **work, int64_t elements, int *info) {
  for (int k = 0; k < 2; ++k) static_cast<double *>(work[k])[elements - 1] = *static_cast<double *>(parts[k]);
  return *info = -3, 0;
}
}
