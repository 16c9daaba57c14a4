// The adaptors: what each older form lacks, and how it is called.
#include "module/adapt/cuda.hpp"

#include "cuda_runtime/entries.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "module/adapt/locations.hpp"

#include <optional>

namespace pygpu::cuda::adapt {
namespace {

constexpr auto unsupported = cudaErrorNotSupported;

} // namespace

cudaError_t cudaGetDriverEntryPoint_until_11_8(const char *symbol, void **funcPtr, unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *) {
    return entries.cudaGetDriverEntryPoint_until_11_8(symbol, funcPtr, flags);
}

cudaError_t cudaGraphAddDependencies_until_12_9(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                                size_t numDependencies) {
    if (edgeData) return unsupported;
    return entries.cudaGraphAddDependencies_until_12_9(graph, from, to, numDependencies);
}

cudaError_t cudaGraphRemoveDependencies_until_12_9(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edgeData,
                                                   size_t numDependencies) {
    if (edgeData) return unsupported;
    return entries.cudaGraphRemoveDependencies_until_12_9(graph, from, to, numDependencies);
}

cudaError_t cudaGraphAddNode_until_12_9(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                        const cudaGraphNode_t *pDependencies,
                                        const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                        cudaGraphNodeParams *nodeParams) {
    if (dependencyData) return unsupported;
    return entries.cudaGraphAddNode_until_12_9(pGraphNode, graph, pDependencies, numDependencies, nodeParams);
}

cudaError_t cudaGraphExecUpdate_until_11_8(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                           cudaGraphExecUpdateResultInfo *resultInfo) {
    *resultInfo = {};
    return entries.cudaGraphExecUpdate_until_11_8(hGraphExec, hGraph, &resultInfo->errorNode,
                                                  &resultInfo->result);
}

cudaError_t cudaGraphGetEdges_until_12_9(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                         cudaGraphEdgeData *, size_t *numEdges) {
    return entries.cudaGraphGetEdges_until_12_9(graph, from, to, numEdges);
}

cudaError_t cudaGraphInstantiate_until_11_8(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                            unsigned long long flags) {
    // Today's form had this name.
    return entries.cudaGraphInstantiateWithFlags(pGraphExec, graph, flags);
}

cudaError_t cudaGraphNodeGetDependencies_until_12_9(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                                    cudaGraphEdgeData *, size_t *pNumDependencies) {
    return entries.cudaGraphNodeGetDependencies_until_12_9(node, pDependencies, pNumDependencies);
}

cudaError_t cudaGraphNodeGetDependentNodes_until_12_9(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                                      cudaGraphEdgeData *, size_t *pNumDependentNodes) {
    return entries.cudaGraphNodeGetDependentNodes_until_12_9(node, pDependentNodes, pNumDependentNodes);
}

cudaError_t cudaMemAdvise_until_12_9(const void *devPtr, size_t count, cudaMemoryAdvise advice,
                                     cudaMemLocation location) {
    const std::optional<int> device = ignores_location(advice) ? 0 : ordinal(location);
    return device ? entries.cudaMemAdvise_until_12_9(devPtr, count, advice, *device) : unsupported;
}

cudaError_t cudaMemPrefetchAsync_until_12_9(const void *devPtr, size_t count, cudaMemLocation location,
                                            unsigned int flags, cudaStream_t stream) {
    const std::optional<int> device = ordinal(location);
    if (!device || flags) return unsupported;
    return entries.cudaMemPrefetchAsync_until_12_9(devPtr, count, *device, stream);
}

cudaError_t cudaMemcpyBatchAsync_until_12_9(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                            size_t count, cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                            size_t numAttrs, cudaStream_t stream) {
    size_t failIdx = 0; // which copy failed: today's form doesn't tell
    return entries.cudaMemcpyBatchAsync_until_12_9(const_cast<void **>(dsts), const_cast<void **>(srcs),
                                                   const_cast<size_t *>(sizes), count, attrs, attrsIdxs,
                                                   numAttrs, &failIdx, stream);
}

cudaError_t cudaMemcpy3DBatchAsync_until_12_9(size_t numOps, cudaMemcpy3DBatchOp *opList,
                                              unsigned long long flags, cudaStream_t stream) {
    size_t failIdx = 0;
    return entries.cudaMemcpy3DBatchAsync_until_12_9(numOps, opList, &failIdx, flags, stream);
}

cudaError_t cudaStreamGetCaptureInfo_until_12_9(cudaStream_t stream,
                                                cudaStreamCaptureStatus *captureStatus_out,
                                                unsigned long long *id_out, cudaGraph_t *graph_out,
                                                const cudaGraphNode_t **dependencies_out,
                                                const cudaGraphEdgeData **, size_t *numDependencies_out) {
    return entries.cudaStreamGetCaptureInfo_until_12_9(stream, captureStatus_out, id_out, graph_out,
                                                       dependencies_out, numDependencies_out);
}

cudaError_t cudaStreamUpdateCaptureDependencies_until_12_9(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                           const cudaGraphEdgeData *dependencyData,
                                                           size_t numDependencies, unsigned int flags) {
    if (dependencyData) return unsupported;
    return entries.cudaStreamUpdateCaptureDependencies_until_12_9(stream, dependencies, numDependencies,
                                                                  flags);
}

} // namespace pygpu::cuda::adapt
