// C's stddef.h for device code. NVRTC declares the types itself.
#pragma once

#ifdef __CUDACC_RTC__
#ifndef offsetof
#define offsetof(type, member) ((size_t)__INTADDR__(&(((type *)0)->member))) // there is no __builtin_offsetof
#endif
#else
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __SIZE_TYPE__ size_t;
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
#endif
#ifndef NULL
#define NULL __null
#endif
