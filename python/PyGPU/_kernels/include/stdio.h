// C's stdio.h for device code: the run-time compilers declare printf() themselves. A GPU has no files.
#pragma once
#include <stddef.h>

#define EOF (-1)
