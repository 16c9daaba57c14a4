/* Freestanding <sys/types.h> of the LP64 Linux ABI: what headers use of it. */
#ifndef PYGPU_SYS_TYPES_H
#define PYGPU_SYS_TYPES_H
#include <stddef.h>
typedef long ssize_t;
typedef long off_t;
#endif
