// Uses what each header of C's library declares for device code. nvcc, NVRTC and hipRTC compile it.
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#ifdef WITH_STD
#include <cassert>
#include <cfloat>
#include <cinttypes>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstdbool>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#define STD(name) std::name
#else
#define STD(name) name
#endif

struct Pair {
    char first;
    double second;
};

extern "C" __global__ void fill(double *out) {
    const uint unsigned_int = UINT_MAX;
    const ushort unsigned_short = USHRT_MAX;
    const ulong unsigned_long = ULONG_MAX;
    const STD(uint8_t) byte = UINT8_MAX;
    const STD(int64_t) wide = INT64_MIN;
    const STD(uintptr_t) address = (uintptr_t)out;
    const STD(ptrdiff_t) distance = out + 3 - out;
    const STD(clock_t) ticks = clock();
    const time_t seconds = 1;
    const bool yes = true;
    const ssize_t negative = -1;
    int at = 0;
    assert(out != NULL);
    out[at++] = unsigned_int;
    out[at++] = unsigned_short;
    out[at++] = unsigned_long;
    out[at++] = byte;
    out[at++] = wide;
    out[at++] = (double *)address == out;
    out[at++] = distance;
    out[at++] = sizeof ticks + seconds;
    out[at++] = yes ? negative : 0;
    out[at++] = CHAR_BIT * sizeof(STD(size_t));
    out[at++] = (double)offsetof(Pair, second);
    out[at++] = INT_MIN;
    out[at++] = INT16_MAX + SCHAR_MIN + CHAR_MAX;
    out[at++] = UINT64_C(1) << 40;
    out[at++] = FLT_MAX;
    out[at++] = FLT_EPSILON;
    out[at++] = DBL_MIN;
    out[at++] = DBL_DIG + FLT_MANT_DIG + FLT_RADIX;
    out[at++] = M_PI;
    out[at++] = INFINITY;
    out[at++] = isnan(NAN) && isinf(HUGE_VAL) && isfinite(1.0f);
    out[at++] = STD(fabs)(-2.5f) + STD(pow)(2.0, 10.0) + STD(floor)(-0.5) + STD(sqrt)(16.0f);
    out[at++] = STD(abs)(-3) + EXIT_FAILURE;
    out[at++] = sizeof(PRId64) + sizeof("" PRIx32);
    double copied[2] = {1, 2};
    STD(memcpy)(copied, copied + 1, sizeof(double));
    STD(memset)(copied + 1, 0, sizeof(double));
    out[at++] = copied[0] + copied[1];
}
