// CUDA's forms of functions on HIP, where HIP's own take or give something else.
#pragma once

#include "binding/function.hpp"

namespace pygpu {
class StructClass;
}

namespace pygpu::hip::portable {

// CUDA's struct of this name where HIP has none and a function below gives it; else null.
StructClass *struct_named(const char *cuda);

// Each has CUDA's name and signature; what HIP's function can't express is ErrorNotSupported, and an output
// that it lacks is None. api_specs/portable.toml lists them.
extern const Function cudaEventRecordWithFlags;
extern const Function cudaGetErrorName;
extern const Function cudaGetErrorString;
extern const Function cudaGraphAddDependencies;
extern const Function cudaGraphAddNode;
extern const Function cudaGraphExecUpdate;
extern const Function cudaGraphGetEdges;
extern const Function cudaGraphInstantiate;
extern const Function cudaGraphKernelNodeCopyAttributes;
extern const Function cudaGraphNodeGetDependencies;
extern const Function cudaGraphNodeGetDependentNodes;
extern const Function cudaGraphRemoveDependencies;
extern const Function cudaMemAdvise;
extern const Function cudaMemPrefetchAsync;
extern const Function cudaStreamGetCaptureInfo;
extern const Function cudaStreamUpdateCaptureDependencies;

} // namespace pygpu::hip::portable
