// What the tests need of hipSPARSE, on the host's memory: the real library makes no handle without a GPU.
#include <cstddef>
#include <cstdint>
#include <cstring>

struct Matrix { int64_t rows, columns, nnz; const int *offsets, *indices; const float *values; int fill, diag; };
struct Vector { int64_t size; float *values; };
enum { OK, NO_HANDLE, INVALID = 3, ZERO_PIVOT = 9, I32 = 2, R32F = 0 };

static int made;
static char context, info, hybrid;

extern "C" {

const char *hipsparseGetErrorString(int status) { return status == INVALID ? "invalid value" : "none"; }
int hipsparseCreate(char **out) { return ++made, *out = &context, OK; }
int hipsparseDestroy(char *one) { return one == &context ? --made, OK : NO_HANDLE; }
int hipsparseCreateCsrsv2Info(char **out) { return ++made, *out = &info, OK; }
int hipsparseDestroyCsrsv2Info(char *one) { return one == &info ? --made, OK : INVALID; }
int hipsparseCreateHybMat(char **out) { return ++made, *out = &hybrid, OK; }
int hipsparseDestroyHybMat(char *one) { return one == &hybrid ? --made, OK : INVALID; }
int hipsparseCreateCsr(Matrix **out, int64_t rows, int64_t columns, int64_t nnz, void *offsets, void *indices,
                       void *values, int offset_type, int index_type, int, int type) {
  if (offset_type != I32 || index_type != I32 || type != R32F) return INVALID;
  *out = new Matrix{rows, columns, nnz, static_cast<int *>(offsets), static_cast<int *>(indices),
                    static_cast<float *>(values), 0, 0};
  return ++made, OK;
}
int hipsparseDestroySpMat(const Matrix *one) { return delete one, --made, OK; }
int hipsparseCreateDnVec(Vector **out, int64_t size, void *values, int type) {
  if (type != R32F) return INVALID;
  return ++made, *out = new Vector{size, static_cast<float *>(values)}, OK;
}
int hipsparseDestroyDnVec(const Vector *one) { return delete one, --made, OK; }
int standin_made() { return made; }

int hipsparseSpMV_bufferSize(char *, int, const void *, const Matrix *, const Vector *, const void *, Vector *, int,
                             int, size_t *size) {
  return *size = 24, OK;
}
int hipsparseSpMV(char *, int, const float *alpha, const Matrix *a, const Vector *x, const float *beta, Vector *y,
                  int type, int, void *buffer) {
  if (type != R32F) return INVALID;
  std::memset(buffer, 7, 24);
  for (int64_t row = 0; row < a->rows; ++row) {
    float sum = 0;
    for (int at = a->offsets[row]; at < a->offsets[row + 1]; ++at) sum += a->values[at] * x->values[a->indices[at]];
    y->values[row] = *alpha * sum + *beta * y->values[row];
  }
  return OK;
}
int hipsparseSpMatSetAttribute(Matrix *one, int attribute, const void *data, size_t size) {
  return size == 4 ? (attribute ? one->diag : one->fill) = *static_cast<const int *>(data), OK : INVALID;
}
int hipsparseSpMatGetAttribute(const Matrix *one, int attribute, void *data, size_t size) {
  return size == 4 ? *static_cast<int *>(data) = attribute ? one->diag : one->fill, OK : INVALID;
}
int hipsparseXcsrilu02_zeroPivot(char *, char *, int *position) { return *position = 5, ZERO_PIVOT; }
// Of one row: y is what C reads where the scalars lie.
int hipsparseCcsrmv(char *, int, int, int, int, const float *alpha, const void *, const void *, const int *,
                    const int *, const void *, const float *beta, float *y) {
  return std::memcpy(y, alpha, 8), std::memcpy(y + 2, beta, 8), OK;
}
}
