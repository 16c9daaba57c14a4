/* In place of HIP's own header: its C form aligns these less than its C++ form, with which libraries are built. */
#ifndef PYGPU_HIP_COMPLEX_H
#define PYGPU_HIP_COMPLEX_H
typedef struct __attribute__((aligned(8))) hipFloatComplex {
    float x, y;
} hipFloatComplex;
typedef struct __attribute__((aligned(16))) hipDoubleComplex {
    double x, y;
} hipDoubleComplex;
typedef hipFloatComplex hipComplex;
#endif
