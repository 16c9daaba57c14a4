/* <stdalign.h>. */
#ifndef PYGPU_STDALIGN_H
#define PYGPU_STDALIGN_H
#define __alignas_is_defined 1
#define __alignof_is_defined 1
#ifndef __cplusplus
#define alignas _Alignas
#define alignof _Alignof
#endif
#endif
