// What the tests need of cuBLASLt, on the host's memory: the real library computes nothing without a GPU.
#include <cstddef>
#include <cstdint>
#include <cstring>

struct Layout { uint64_t type, rows, columns, ld, unused[4]; };
struct Algo { uint64_t data[8]; };
struct Result { Algo algo; size_t workspace; int state; float waves; int reserved[4]; };
struct Desc { uint64_t data[32]; };

static int made;
static char context;

extern "C" {

size_t cublasLtGetVersion() { return 130101; }
int cublasLtCreate(void **out) { return ++made, *out = &context, 0; }
int cublasLtDestroy(void *) { return --made, 0; }
int cublasLtMatrixLayoutCreate(Layout **out, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  return ++made, *out = new Layout{static_cast<uint64_t>(type), rows, columns, static_cast<uint64_t>(ld), {}}, 0;
}
int cublasLtMatrixLayoutDestroy(const Layout *one) { return --made, delete one, 0; }
int cublasLtMatmulDescCreate(Desc **out, int, int) { return ++made, *out = new Desc{}, 0; }
int cublasLtMatmulDescDestroy(const Desc *one) { return --made, delete one, 0; }
int cublasLtMatmulPreferenceCreate(Desc **out) { return ++made, *out = new Desc{}, 0; }
int cublasLtMatmulPreferenceDestroy(const Desc *one) { return --made, delete one, 0; }
int standin_made() { return made; }

// Bias is number 8, an address; it is kept where the product looks for it.
int cublasLtMatmulDescSetAttribute(Desc *one, int attribute, const void *value, size_t size) {
  if (size > 8) return 7;
  one->data[attribute] = 0;
  return std::memcpy(&one->data[attribute], value, size), 0;
}
int cublasLtMatmulAlgoGetHeuristic(void *, const Desc *, const Layout *, const Layout *, const Layout *, const Layout *,
                                   const Desc *, int requested, Result *results, int *returned) {
  *returned = requested < 2 ? requested : 2;
  for (int at = 0; at < *returned; ++at) results[at] = {{{at + 40u}}, size_t(at) * 256, 0, 1.5f, {}};
  return 0;
}
int cublasLtMatmul(void *, const Desc *desc, const float *alpha, const float *a, const Layout *as, const float *b,
                   const Layout *bs, const float *beta, const float *c, const Layout *cs, float *d, const Layout *ds,
                   const Algo *algo, void *workspace, size_t bytes, void *) {
  const auto *bias = reinterpret_cast<const float *>(desc->data[8]);
  for (uint64_t row = 0; row < ds->rows; ++row)
    for (uint64_t column = 0; column < ds->columns; ++column) {
      float sum = 0;
      for (uint64_t at = 0; at < as->columns; ++at) sum += a[row + at * as->ld] * b[at + column * bs->ld];
      d[row + column * ds->ld] = *alpha * sum + *beta * c[row + column * cs->ld] + (bias ? bias[row] : 0);
    }
  if (bytes) std::memcpy(workspace, algo, 8);
  return 0;
}
}
