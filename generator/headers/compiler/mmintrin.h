/* <mmintrin.h>: the types alone. */
#include <immintrin.h>
