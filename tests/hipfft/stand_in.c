/* A hipFFT without a device: what the tests need, as the headers have it. */
#include <stddef.h>
#include <string.h>

enum { OK, INVALID_PLAN, INVALID_VALUE = 4 };
struct descriptor {
    int version;
    void *its_descriptor;
};

static int plan, plans;
static struct descriptor one_descriptor = {7, NULL};
static int descriptors;

int hipfftGetVersion(int *version) { return *version = plans, OK; }
int hipfftCreate(void **made) { return *made = &plan, ++plans, OK; }
int hipfftPlan1d(void **made, int n, int type, int batch) {
    return n != 1 || type != 0x29 || batch != 1 ? INVALID_VALUE : hipfftCreate(made);
}
int hipfftDestroy(void *one) { return one == &plan && plans-- > 0 ? OK : INVALID_PLAN; }
int hipfftSetStream(void *of, void *stream) { return of == &plan && !stream ? OK : INVALID_PLAN; }

/* The work area is the product of the sizes; `inembed` may be NULL. */
int hipfftMakePlanMany(void *of, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                       int ostride, int odist, int type, int batch, size_t *size) {
    if (of != &plan || type != 0x29 || (inembed && inembed[rank - 1] != 9)) return INVALID_VALUE;
    (void)istride, (void)idist, (void)onembed, (void)ostride, (void)odist;
    *size = (size_t)batch;
    for (int at = 0; at < rank; ++at) *size *= (size_t)n[at];
    return OK;
}

/* Of length one: the transform is the number itself, backwards its negative. */
int hipfftExecC2C(void *of, float (*from)[2], float (*to)[2], int direction) {
    to[0][0] = direction < 0 ? from[0][0] : -from[0][0];
    to[0][1] = direction < 0 ? from[0][1] : -from[0][1];
    return of == &plan ? OK : INVALID_PLAN;
}

int hipfftXtMalloc(void *of, struct descriptor **made, int format) {
    (void)format;
    return *made = &one_descriptor, ++descriptors, of == &plan ? OK : INVALID_PLAN;
}
int hipfftXtFree(struct descriptor *one) {
    return one == &one_descriptor && descriptors-- > 0 ? OK : INVALID_VALUE;
}
