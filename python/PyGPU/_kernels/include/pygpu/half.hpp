// pygpu::half and pygpu::bfloat16 for device code: 16 bits in memory, float in arithmetic.
#pragma once

extern "C++" {
namespace pygpu {

// Converts from any number, rounding once to the nearest, and to float. Operators of float do the arithmetic.
#define PYGPU_SHORT_FLOAT(name)                                                                              \
    struct name {                                                                                            \
        unsigned short bits;                                                                                 \
                                                                                                             \
        name() = default;                                                                                    \
        __device__ name(float value);                                                                        \
        __device__ name(double value);                                                                       \
        template <class T> __device__ name(const T &value) : name(static_cast<float>(value)) {}              \
        __device__ operator float() const;                                                                   \
                                                                                                             \
        template <class T> __device__ name &operator+=(const T &other) { return *this = *this + other; }     \
        template <class T> __device__ name &operator-=(const T &other) { return *this = *this - other; }     \
        template <class T> __device__ name &operator*=(const T &other) { return *this = *this * other; }     \
        template <class T> __device__ name &operator/=(const T &other) { return *this = *this / other; }     \
    };
PYGPU_SHORT_FLOAT(half)
PYGPU_SHORT_FLOAT(bfloat16)
#undef PYGPU_SHORT_FLOAT

#ifndef __HIP__
__device__ inline half::half(float value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); }
__device__ inline half::half(double value) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value)); }
__device__ inline half::operator float() const {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
#else
__device__ inline half::half(float value) : bits(__builtin_bit_cast(unsigned short, _Float16(value))) {}
__device__ inline half::half(double value) : bits(__builtin_bit_cast(unsigned short, _Float16(value))) {}
__device__ inline half::operator float() const { return __builtin_bit_cast(_Float16, bits); }
#endif

// The upper half of a float. No instruction of older devices rounds to it.
__device__ inline bfloat16::bfloat16(float value) {
    const unsigned whole = __float_as_uint(value);
    const unsigned nearest = whole + 0x7fff + (whole >> 16 & 1);
    bits = value != value ? whole >> 16 | 0x40 : nearest >> 16;
}
// By a float whose last bit says that something was cut off, so that it is rounded once.
__device__ inline bfloat16::bfloat16(double value) {
    const float cut = __double2float_rz(value);
    *this = bfloat16(__uint_as_float(__float_as_uint(cut) | (cut != value && value == value)));
}
__device__ inline bfloat16::operator float() const { return __uint_as_float(unsigned(bits) << 16); }

} // namespace pygpu
}
