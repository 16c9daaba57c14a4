/* Freestanding <stdarg.h>. */
#ifndef PYGPU_STDARG_H
#define PYGPU_STDARG_H
typedef __builtin_va_list va_list;
#endif
