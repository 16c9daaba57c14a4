/* <x86intrin.h>: the types alone. */
#include <immintrin.h>
