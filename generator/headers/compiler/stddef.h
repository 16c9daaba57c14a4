/* <stddef.h> of the LP64 Linux ABI, so that parsing never reads the machine's own. A libclang without a compiler has
   none; C libraries ask for parts of it by __need_ macros, and get all. */
#undef __need_size_t
#undef __need_ptrdiff_t
#undef __need_wchar_t
#undef __need_NULL
#undef __need_max_align_t
#undef __need_offsetof
#ifdef __need_wint_t
#undef __need_wint_t
#ifndef PYGPU_WINT_T
#define PYGPU_WINT_T
typedef __WINT_TYPE__ wint_t;
#endif
#endif
#ifndef PYGPU_STDDEF_H
#define PYGPU_STDDEF_H
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#ifndef __cplusplus
typedef __WCHAR_TYPE__ wchar_t;
#endif
typedef struct {
    long long pygpu_ll __attribute__((__aligned__(__alignof__(long long))));
    long double pygpu_ld __attribute__((__aligned__(__alignof__(long double))));
} max_align_t;
#undef NULL
#ifdef __cplusplus
#define NULL __null
#else
#define NULL ((void *)0)
#endif
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
