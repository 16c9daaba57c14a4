/* Freestanding <stdbool.h>. */
#ifndef PYGPU_STDBOOL_H
#define PYGPU_STDBOOL_H
#ifndef __cplusplus
#define bool _Bool
#define true 1
#define false 0
#endif
#endif
