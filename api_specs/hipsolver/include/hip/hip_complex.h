/* In place of HIP's own header: hipFFT's, then the libraries whose enums and descriptors hipSOLVER's header repeats. */
#include "../../../hipfft/include/hip/hip_complex.h"
#ifdef HIPSOLVER_H
#include <hipblas/hipblas.h>
#include <hipsparse/hipsparse.h>
#endif
