/* Before hipblaslt.h's types, which are C++ on AMD's platform: the same in C. `abi` compares them with hipblaslt.h's. */
#ifdef __cplusplus
#include_next <hip/hip_bfloat16.h>
#else
#include <hip/hip_complex.h>
#include <hip/hip_runtime_api.h>
#include <hipblas/hipblas.h>
#include <stdbool.h>
#undef __HIP_PLATFORM_AMD__
typedef void *hipblasLtHandle_t;
typedef struct {
    uint64_t data[4];
} hipblasLtMatmulDescOpaque_t;
typedef hipblasLtMatmulDescOpaque_t *hipblasLtMatmulDesc_t;
typedef struct {
    uint64_t data[4];
} hipblasLtMatrixLayoutOpaque_t;
typedef hipblasLtMatrixLayoutOpaque_t *hipblasLtMatrixLayout_t;
typedef struct {
    uint64_t data[5];
} hipblasLtMatmulPreferenceOpaque_t;
typedef hipblasLtMatmulPreferenceOpaque_t *hipblasLtMatmulPreference_t;
typedef struct {
    uint64_t data[8];
} hipblasLtMatrixTransformDescOpaque_t;
typedef hipblasLtMatrixTransformDescOpaque_t *hipblasLtMatrixTransformDesc_t;
typedef struct _hipblasLtMatmulAlgo_t {
    uint8_t data[16];
    size_t max_workspace_bytes;
} hipblasLtMatmulAlgo_t;
typedef struct _hipblasLtMatmulHeuristicResult_t {
    hipblasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    hipblasStatus_t state;
    float wavesCount;
    int reserved[4];
} hipblasLtMatmulHeuristicResult_t;
#endif
