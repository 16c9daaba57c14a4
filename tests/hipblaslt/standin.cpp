// What the tests need of hipBLASLt, on the host's memory: the real library computes nothing without a GPU.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

struct Layout { uint64_t type, rows, columns, ld; };
struct Algo { uint8_t data[16]; size_t most; };
struct Result { Algo algo; size_t workspace; int state; float waves; int reserved[4]; };
struct Desc { uint64_t data[104]; };
enum { OK, NOT_INITIALIZED, INVALID = 3, BIAS = 3, FLOAT = 0 };

static int made;
static char context;
static bool flushes;

extern "C" {

int standin_made() { return made; }
int hipblasLtGetVersion(void *handle, int *version) { return handle ? *version = 100100, OK : NOT_INITIALIZED; }
int hipblasLtCreate(void **out) { return ++made, *out = &context, OK; }
int hipblasLtDestroy(void *) { return --made, OK; }
int hipblasLtMatrixLayoutCreate(Layout **out, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  return ++made, *out = new Layout{static_cast<uint64_t>(type), rows, columns, static_cast<uint64_t>(ld)}, OK;
}
int hipblasLtMatrixLayoutDestroy(const Layout *one) { return --made, delete one, OK; }
int hipblasLtMatmulDescCreate(Desc **out, int, int) { return ++made, *out = new Desc{}, OK; }
int hipblasLtMatmulDescDestroy(const Desc *one) { return --made, delete one, OK; }
int hipblasLtMatmulPreferenceCreate(Desc **out) { return ++made, *out = new Desc{}, OK; }
int hipblasLtMatmulPreferenceDestroy(const Desc *one) { return --made, delete one, OK; }

// The size of an attribute's value is four bytes, or eight for an address.
static size_t size_of(int attribute) { return attribute == BIAS ? 8 : 4; }
int hipblasLtMatmulDescSetAttribute(Desc *one, int attribute, const void *value, size_t size) {
  if (size < size_of(attribute)) return INVALID;
  return std::memcpy(&one->data[attribute], value, size_of(attribute)), OK;
}
int hipblasLtMatmulDescGetAttribute(const Desc *one, int attribute, void *value, size_t size, size_t *written) {
  *written = size_of(attribute);
  if (size < *written) return INVALID;
  return std::memcpy(value, &one->data[attribute], *written), OK;
}
int hipblasLtMatmulAlgoGetHeuristic(void *, const Desc *, const Layout *, const Layout *, const Layout *,
                                    const Layout *, const Desc *, int requested, Result *results, int *returned) {
  *returned = requested < 2 ? requested : 2;
  for (int at = 0; at < *returned; ++at)
    results[at] = {{{uint8_t(at + 40)}, 1024}, size_t(at) * 256, OK, 1.5f, {}};
  return OK;
}
int hipblasLtMatmul(void *, const Desc *desc, const float *alpha, const float *a, const Layout *as, const float *b,
                    const Layout *bs, const float *beta, const float *c, const Layout *cs, float *d, const Layout *ds,
                    const Algo *algo, void *workspace, size_t bytes, void *) {
  const auto *bias = reinterpret_cast<const float *>(desc->data[BIAS]);
  for (uint64_t row = 0; row < ds->rows; ++row)
    for (uint64_t column = 0; column < ds->columns; ++column) {
      float sum = 0;
      for (uint64_t at = 0; at < as->columns; ++at) sum += a[row + at * as->ld] * b[at + column * bs->ld];
      d[row + column * ds->ld] = *alpha * sum + *beta * c[row + column * cs->ld] + (bias ? bias[row] : 0);
    }
  if (bytes) std::memcpy(workspace, algo, 8);
  return OK;
}
int hipblasltExtAMax(int type, int out, float *to, const float *from, uint32_t m, uint32_t n, void *) {
  if (type != FLOAT || out != FLOAT) return 7;
  *to = 0;
  for (uint32_t at = 0; at < m * n; ++at) *to = std::max(*to, std::abs(from[at]));
  return OK;
}
void hipblasltSetFlushValue(bool flush) { flushes = flush; }
double hipblasltGetWaveGranularity() { return flushes ? 0.5 : 0; }
}
