// The driver API's adaptors: what each older form lacks, and how it is called.
#include "module/adapt/cu.hpp"

#include "cuda_driver/entries.hpp"
#include "cuda_driver/traits.hpp"
#include "module/adapt/locations.hpp"
#include "runtime/api.hpp"

#include <optional>

namespace pygpu::cu::adapt {
namespace {

CUresult unsupported() { return static_cast<CUresult>(api.statuses.not_supported); }

} // namespace

CUresult cuCtxCreate_until_12_9(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
                                CUdevice dev) {
    if (!ctxCreateParams) return entries.cuCtxCreate_until_12_9(pctx, flags, dev);
    // What comes from the interop with graphics (cigParams) is newer than the form that limits processors.
    if (ctxCreateParams->cigParams) return unsupported();
    return entries.cuCtxCreate_v3(pctx, ctxCreateParams->execAffinityParams,
                                  ctxCreateParams->numExecAffinityParams, flags, dev);
}

CUresult cuGetProcAddress_until_11_8(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult *) {
    return entries.cuGetProcAddress_until_11_8(symbol, pfn, cudaVersion, flags);
}

CUresult cuGraphAddDependencies_until_12_9(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                           const CUgraphEdgeData *edgeData, size_t numDependencies) {
    if (edgeData) return unsupported();
    return entries.cuGraphAddDependencies_until_12_9(hGraph, from, to, numDependencies);
}

CUresult cuGraphRemoveDependencies_until_12_9(CUgraph hGraph, const CUgraphNode *from, const CUgraphNode *to,
                                              const CUgraphEdgeData *edgeData, size_t numDependencies) {
    if (edgeData) return unsupported();
    return entries.cuGraphRemoveDependencies_until_12_9(hGraph, from, to, numDependencies);
}

CUresult cuGraphAddNode_until_12_9(CUgraphNode *phGraphNode, CUgraph hGraph, const CUgraphNode *dependencies,
                                   const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                   CUgraphNodeParams *nodeParams) {
    if (dependencyData) return unsupported();
    return entries.cuGraphAddNode_until_12_9(phGraphNode, hGraph, dependencies, numDependencies, nodeParams);
}

CUresult cuGraphExecUpdate_until_11_8(CUgraphExec hGraphExec, CUgraph hGraph,
                                      CUgraphExecUpdateResultInfo *resultInfo) {
    *resultInfo = {};
    return entries.cuGraphExecUpdate_until_11_8(hGraphExec, hGraph, &resultInfo->errorNode,
                                                &resultInfo->result);
}

CUresult cuGraphGetEdges_until_12_9(CUgraph hGraph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *,
                                    size_t *numEdges) {
    return entries.cuGraphGetEdges_until_12_9(hGraph, from, to, numEdges);
}

CUresult cuGraphInstantiate_until_11_8(CUgraphExec *phGraphExec, CUgraph hGraph, unsigned long long flags) {
    // Today's form had this name.
    return entries.cuGraphInstantiateWithFlags(phGraphExec, hGraph, flags);
}

CUresult cuGraphNodeGetDependencies_until_12_9(CUgraphNode hNode, CUgraphNode *dependencies,
                                               CUgraphEdgeData *, size_t *numDependencies) {
    return entries.cuGraphNodeGetDependencies_until_12_9(hNode, dependencies, numDependencies);
}

CUresult cuGraphNodeGetDependentNodes_until_12_9(CUgraphNode hNode, CUgraphNode *dependentNodes,
                                                 CUgraphEdgeData *, size_t *numDependentNodes) {
    return entries.cuGraphNodeGetDependentNodes_until_12_9(hNode, dependentNodes, numDependentNodes);
}

CUresult cuMemAdvise_until_12_9(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                                CUmemLocation location) {
    const std::optional<int> device = ignores_location(advice) ? 0 : ordinal(location);
    return device ? entries.cuMemAdvise_until_12_9(devPtr, count, advice, *device) : unsupported();
}

CUresult cuMemPrefetchAsync_until_12_9(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                       unsigned int flags, CUstream hStream) {
    const std::optional<int> device = ordinal(location);
    if (!device || flags) return unsupported();
    return entries.cuMemPrefetchAsync_until_12_9(devPtr, count, *device, hStream);
}

CUresult cuMemcpyBatchAsync_until_12_9(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                       CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                       CUstream hStream) {
    size_t failIdx = 0; // which copy failed: today's form doesn't tell
    return entries.cuMemcpyBatchAsync_until_12_9(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs,
                                                 &failIdx, hStream);
}

CUresult cuMemcpy3DBatchAsync_until_12_9(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                         unsigned long long flags, CUstream hStream) {
    size_t failIdx = 0;
    return entries.cuMemcpy3DBatchAsync_until_12_9(numOps, opList, &failIdx, flags, hStream);
}

CUresult cuStreamGetCaptureInfo_until_11_8(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                           cuuint64_t *id_out, CUgraph *graph_out,
                                           const CUgraphNode **dependencies_out, const CUgraphEdgeData **,
                                           size_t *numDependencies_out) {
    // The form that tells the graph had a name of its own.
    return entries.cuStreamGetCaptureInfo_v2(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                                             numDependencies_out);
}

CUresult cuStreamGetCaptureInfo_until_12_9(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                           cuuint64_t *id_out, CUgraph *graph_out,
                                           const CUgraphNode **dependencies_out, const CUgraphEdgeData **,
                                           size_t *numDependencies_out) {
    return entries.cuStreamGetCaptureInfo_until_12_9(hStream, captureStatus_out, id_out, graph_out,
                                                     dependencies_out, numDependencies_out);
}

CUresult cuStreamUpdateCaptureDependencies_until_12_9(CUstream hStream, CUgraphNode *dependencies,
                                                      const CUgraphEdgeData *dependencyData,
                                                      size_t numDependencies, unsigned int flags) {
    if (dependencyData) return unsupported();
    return entries.cuStreamUpdateCaptureDependencies_until_12_9(hStream, dependencies, numDependencies,
                                                                flags);
}

} // namespace pygpu::cu::adapt
