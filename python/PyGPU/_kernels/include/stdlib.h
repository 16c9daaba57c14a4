// C's stdlib.h for device code: the run-time compilers declare malloc(), free() and abs() themselves.
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
