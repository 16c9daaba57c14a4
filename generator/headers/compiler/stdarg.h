/* <stdarg.h>, also as C libraries ask for it: the type alone, under another name. */
#ifndef PYGPU_GNUC_VA_LIST
#define PYGPU_GNUC_VA_LIST
typedef __builtin_va_list __gnuc_va_list;
#endif
#ifdef __need___va_list
#undef __need___va_list
#elif !defined(PYGPU_STDARG_H)
#define PYGPU_STDARG_H
typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_end(list) __builtin_va_end(list)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
#endif
