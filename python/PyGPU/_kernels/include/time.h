// C's time.h for device code: the run-time compilers declare clock() themselves.
#pragma once
#include <stddef.h>

typedef long time_t;
#ifndef __CUDACC_RTC__
typedef long clock_t;
#endif
