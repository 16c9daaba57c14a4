/* In place of HIP's own header, which is C++ with kernels: hipblaslt.h needs its functions and types of numbers. */
#include <hip/hip_runtime_api.h>
#include <hip/library_types.h>
