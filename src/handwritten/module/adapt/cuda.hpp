// Today's form of a function on a CUDA runtime that has an older one.
//
// Each has the newest prototype and calls the form that ended with the release in its name; the loader puts
// it where the library's own function would be. What the older form can't express is ErrorNotSupported;
// outputs that it lacks are left alone, and the rule of the output says since when it is given.
#pragma once

#include "cuda_runtime/types.hpp"

namespace pygpu::cuda::adapt {

cudaError_t cudaGetDriverEntryPoint_until_11_8(const char *symbol, void **funcPtr, unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *driverStatus);
cudaError_t cudaGraphAddDependencies_until_12_9(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                                size_t numDependencies);
cudaError_t cudaGraphRemoveDependencies_until_12_9(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edgeData, size_t numDependencies);
cudaError_t cudaGraphAddNode_until_12_9(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                        cudaGraphNodeParams *nodeParams);
cudaError_t cudaGraphExecUpdate_until_11_8(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                           cudaGraphExecUpdateResultInfo *resultInfo);
cudaError_t cudaGraphGetEdges_until_12_9(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                         cudaGraphEdgeData *edgeData, size_t *numEdges);
cudaError_t cudaGraphInstantiate_until_11_8(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                            unsigned long long flags);
cudaError_t cudaGraphNodeGetDependencies_until_12_9(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                                    cudaGraphEdgeData *edgeData, size_t *pNumDependencies);
cudaError_t cudaGraphNodeGetDependentNodes_until_12_9(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                                      cudaGraphEdgeData *edgeData,
                                                      size_t *pNumDependentNodes);
cudaError_t cudaMemAdvise_until_12_9(const void *devPtr, size_t count, cudaMemoryAdvise advice,
                                     cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync_until_12_9(const void *devPtr, size_t count, cudaMemLocation location,
                                            unsigned int flags, cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync_until_12_9(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                            size_t count, cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                            size_t numAttrs, cudaStream_t stream);
cudaError_t cudaMemcpy3DBatchAsync_until_12_9(size_t numOps, cudaMemcpy3DBatchOp *opList,
                                              unsigned long long flags, cudaStream_t stream);
cudaError_t cudaStreamGetCaptureInfo_until_12_9(cudaStream_t stream,
                                                cudaStreamCaptureStatus *captureStatus_out,
                                                unsigned long long *id_out, cudaGraph_t *graph_out,
                                                const cudaGraphNode_t **dependencies_out,
                                                const cudaGraphEdgeData **edgeData_out,
                                                size_t *numDependencies_out);
cudaError_t cudaStreamUpdateCaptureDependencies_until_12_9(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                           const cudaGraphEdgeData *dependencyData,
                                                           size_t numDependencies, unsigned int flags);

} // namespace pygpu::cuda::adapt
