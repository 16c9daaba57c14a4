/* In place of HIP's own header, which has its half type for C++ alone. Here only pointers lead to it. */
#ifndef PYGPU_HIP_FP16_H
#define PYGPU_HIP_FP16_H
typedef struct __half {
    unsigned short bits;
} __half;
#endif
