// The adaptors: what each older form takes instead.
#include "module/adapt/hip.hpp"

#include "hip_runtime/entries.hpp"

namespace pygpu::hip::adapt {
namespace {

HIP_MEMSET_NODE_PARAMS older(const hipMemsetParams &params) {
    return {.dst = params.dst,
            .pitch = params.pitch,
            .value = params.value,
            .elementSize = params.elementSize,
            .width = params.width,
            .height = params.height};
}

} // namespace

hipError_t hipDrvGraphAddMemsetNode_until_6_4(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                              const hipGraphNode_t *dependencies, size_t numDependencies,
                                              const hipMemsetParams *memsetParams, hipCtx_t ctx) {
    const HIP_MEMSET_NODE_PARAMS params = memsetParams ? older(*memsetParams) : HIP_MEMSET_NODE_PARAMS{};
    return entries.hipDrvGraphAddMemsetNode_until_6_4(phGraphNode, hGraph, dependencies, numDependencies,
                                                      memsetParams ? &params : nullptr, ctx);
}

hipError_t hipDrvGraphExecMemsetNodeSetParams_until_6_4(hipGraphExec_t hGraphExec, hipGraphNode_t hNode,
                                                        const hipMemsetParams *memsetParams, hipCtx_t ctx) {
    const HIP_MEMSET_NODE_PARAMS params = memsetParams ? older(*memsetParams) : HIP_MEMSET_NODE_PARAMS{};
    return entries.hipDrvGraphExecMemsetNodeSetParams_until_6_4(hGraphExec, hNode,
                                                                memsetParams ? &params : nullptr, ctx);
}

} // namespace pygpu::hip::adapt
