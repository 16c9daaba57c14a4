/* Freestanding <unistd.h>: headers include it for the types alone. */
#include <sys/types.h>
