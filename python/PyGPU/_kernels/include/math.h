// C's math.h for device code: the run-time compilers declare the functions themselves, for each type.
#pragma once

#ifndef M_E
#define M_E 2.7182818284590452354
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.4426950408889634074
#endif
#ifndef M_LOG10E
#define M_LOG10E 0.43429448190325182765
#endif
#ifndef M_LN2
#define M_LN2 0.69314718055994530942
#endif
#ifndef M_LN10
#define M_LN10 2.30258509299404568402
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_PI_2
#define M_PI_2 1.57079632679489661923
#endif
#ifndef M_PI_4
#define M_PI_4 0.78539816339744830962
#endif
#ifndef M_1_PI
#define M_1_PI 0.31830988618379067154
#endif
#ifndef M_2_PI
#define M_2_PI 0.63661977236758134308
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.70710678118654752440
#endif
// A constant expression where the compiler has one: NVRTC up to 12.0 hasn't.
#ifdef __has_builtin
#if __has_builtin(__builtin_bit_cast)
#define _PYGPU_FLOAT(bits) __builtin_bit_cast(float, bits)
#endif
#endif
#ifndef _PYGPU_FLOAT
#define _PYGPU_FLOAT(bits) __int_as_float(bits)
#endif
#ifndef INFINITY
#define INFINITY _PYGPU_FLOAT(0x7f800000)
#endif
#ifndef NAN
#define NAN _PYGPU_FLOAT(0x7fc00000)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef HUGE_VAL
#define HUGE_VAL ((double)INFINITY)
#endif

typedef float float_t;
typedef double double_t;
