// Today's form of a function on a HIP runtime that has an older one; as cuda.hpp.
#pragma once

#include "hip_runtime/types.hpp"

namespace pygpu::hip::adapt {

hipError_t hipDrvGraphAddMemsetNode_until_6_4(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                              const hipGraphNode_t *dependencies, size_t numDependencies,
                                              const hipMemsetParams *memsetParams, hipCtx_t ctx);
hipError_t hipDrvGraphExecMemsetNodeSetParams_until_6_4(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                                        const hipMemsetParams *memsetParams, hipCtx_t ctx);

} // namespace pygpu::hip::adapt
