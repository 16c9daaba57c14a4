// C's string.h for device code: the run-time compilers declare memcpy() and memset() themselves.
#pragma once
#include <stddef.h>
