/* <stdnoreturn.h>. */
#ifndef PYGPU_STDNORETURN_H
#define PYGPU_STDNORETURN_H
#ifndef __cplusplus
#define noreturn _Noreturn
#endif
#endif
