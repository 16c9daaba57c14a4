/* The markers of CUDA's compiler as a host compiler without it sees them; CUDA's wheels lack this header. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __no_return__ __attribute__((noreturn))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __location__(a)
#define __specialization_static static
#define __grid_constant__
#endif
