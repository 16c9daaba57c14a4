/* A hipRAND without a device: what the tests need, as the header has it. Its numbers count from the seed. */
#include <stddef.h>

enum { OK, TYPE_ERROR = 103, OUT_OF_RANGE = 104, PHILOX = 405 };

static int generator, generators;
static unsigned long long next;

int hiprandGetVersion(int *version) { return *version = 201200, OK; }
int hiprandCreateGenerator(void **made, int type) {
    if (type != PHILOX) return TYPE_ERROR;
    return *made = &generator, ++generators, next = 0, OK;
}
int hiprandDestroyGenerator(void *one) { return one == &generator && generators-- > 0 ? OK : OUT_OF_RANGE; }
int hiprandSetPseudoRandomGeneratorSeed(void *of, unsigned long long seed) { return next = seed, of ? OK : OUT_OF_RANGE; }
int hiprandSetStream(void *of, void *stream) { return of == &generator && !stream ? OK : OUT_OF_RANGE; }
int hiprandGenerate(void *of, unsigned *numbers, size_t n) {
    for (size_t at = 0; at < n; ++at) numbers[at] = (unsigned)next++;
    return of == &generator ? OK : OUT_OF_RANGE;
}
int hiprandGenerateUniform(void *of, float *numbers, size_t n) {
    for (size_t at = 0; at < n; ++at) numbers[at] = (float)next++ / 8;
    return of == &generator ? OK : OUT_OF_RANGE;
}
int hiprandGenerateNormal(void *of, float *numbers, size_t n, float mean, float deviation) {
    for (size_t at = 0; at < n; ++at) numbers[at] = mean + deviation;
    return of == &generator ? OK : OUT_OF_RANGE;
}
