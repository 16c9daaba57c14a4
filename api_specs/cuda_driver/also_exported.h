// What libcuda exports though only cudaProfiler.h declares it, which packages of their own have.
#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup CUDA_PROFILER
/// @{
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
/// @}

#ifdef __cplusplus
}
#endif
