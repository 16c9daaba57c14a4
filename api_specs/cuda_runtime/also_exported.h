// What libcudart exports though only cuda_profiler_api.h declares it, which no package of the API has.
#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup CUDART_PROFILER
/// @{
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
/// @}

#ifdef __cplusplus
}
#endif
