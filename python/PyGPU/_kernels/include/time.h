// C's time.h for device code: the run-time compilers declare clock() themselves.
#pragma once
#include <stddef.h>

#ifdef __CUDACC_RTC__
typedef long long time_t; // as CCCL declares it for NVRTC, in headers such as cuda/barrier
#else
typedef long time_t;
typedef long clock_t;
#endif
