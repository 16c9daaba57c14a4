/* Freestanding <string.h>: vendor headers include it, their declarations need nothing of it but size_t. */
#include <stddef.h>
