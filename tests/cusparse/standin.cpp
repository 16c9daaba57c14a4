// What the tests need of cuSPARSE, on the host's memory: the real library makes no handle without a GPU.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

struct Matrix { int64_t rows, columns, nnz; const int *offsets, *indices; const float *values; int fill, diag; };
struct Vector { int64_t size; float *values; };

static int made;
static char context, info;

extern "C" {

int cusparseGetProperty(int, int *value) { return *value = 12, 0; }
int cusparseCreate(char **out) { return ++made, *out = &context, 0; }
int cusparseDestroy(char *) { return --made, 0; }
int cusparseCreateCsrilu02Info(char **out) { return ++made, *out = &info, 0; }
int cusparseDestroyCsrilu02Info(char *) { return --made, 0; }
int cusparseCreateCsr(Matrix **out, int64_t rows, int64_t columns, int64_t nnz, void *offsets, void *indices,
                      void *values, int, int, int, int) {
  *out = new Matrix{rows, columns, nnz, static_cast<int *>(offsets), static_cast<int *>(indices),
                    static_cast<float *>(values), 0, 0};
  return ++made, 0;
}
int cusparseDestroySpMat(const Matrix *one) { return delete one, --made, 0; }
int cusparseCreateDnVec(Vector **out, int64_t size, void *values, int) {
  return ++made, *out = new Vector{size, static_cast<float *>(values)}, 0;
}
int cusparseDestroyDnVec(const Vector *one) { return delete one, --made, 0; }
int standin_made() { return made; }

int cusparseSpMV_bufferSize(char *, int, const void *, const Matrix *, const Vector *, const void *, Vector *, int, int,
                            size_t *size) {
  return *size = 24, 0;
}
int cusparseSpMV(char *, int, const float *alpha, const Matrix *a, const Vector *x, const float *beta, Vector *y, int,
                 int, void *buffer) {
  std::memset(buffer, 7, 24);
  for (int64_t row = 0; row < a->rows; ++row) {
    float sum = 0;
    for (int at = a->offsets[row]; at < a->offsets[row + 1]; ++at) sum += a->values[at] * x->values[a->indices[at]];
    y->values[row] = *alpha * sum + *beta * y->values[row];
  }
  return 0;
}
// Without a buffer it tells the size, with one it reads it.
int cusparseSpGEMM_workEstimation(char *, int, int, const void *, const Matrix *, const Matrix *, const void *, Matrix *,
                                  int, int, void *, size_t *size, void *buffer) {
  if (!buffer) return *size = 40, 0;
  return std::memset(buffer, 1, *size), *size += 1, 0;
}
int cusparseSpMatSetAttribute(Matrix *one, int attribute, void *data, size_t size) {
  return size == 4 ? (attribute ? one->diag : one->fill) = *static_cast<int *>(data), 0 : 3;
}
int cusparseSpMatGetAttribute(const Matrix *one, int attribute, void *data, size_t size) {
  return size == 4 ? *static_cast<int *>(data) = attribute ? one->diag : one->fill, 0 : 3;
}
int cusparseSgtsv2_bufferSizeExt(char *, int m, int n, const float *, const float *, const float *, const float *, int,
                                 size_t *size) {
  return *size = size_t(m) * n, 0;
}
int cusparseXcsrilu02_zeroPivot(char *, char *, int *position) { return *position = 5, 9; }
// The scalars as numbers: z is what C reads where alpha lies.
int cusparseCgemvi(char *, int, int, int, const float *alpha, const void *, int, int, const void *, const int *,
                   const float *beta, float *y, int, void *) {
  return std::memcpy(y, alpha, 8), std::memcpy(y + 2, beta, 8), 0;
}
}
