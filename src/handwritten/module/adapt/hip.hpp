// Adaptors from today's forms to the older forms of an older HIP runtime, as in cuda.hpp.
#pragma once

#include "hip_runtime/entries.hpp"

namespace pygpu::hip::adapt {

// The struct of the older forms, which has the same members in another order. Null stays null.
class OlderMemset {
public:
    explicit OlderMemset(const hipMemsetParams *params) : is_set_(params) {
        if (!params) return;
        params_ = {.dst = params->dst,
                   .pitch = params->pitch,
                   .value = params->value,
                   .elementSize = params->elementSize,
                   .width = params->width,
                   .height = params->height};
    }
    const HIP_MEMSET_NODE_PARAMS *get() const { return is_set_ ? &params_ : nullptr; }

private:
    HIP_MEMSET_NODE_PARAMS params_{};
    bool is_set_;
};

inline hipError_t hipDrvGraphAddMemsetNode_until_6_4(hipGraphNode_t *phGraphNode, hipGraph_t hGraph,
                                                     const hipGraphNode_t *dependencies,
                                                     size_t numDependencies, const hipMemsetParams *params,
                                                     hipCtx_t ctx) {
    return entries.hipDrvGraphAddMemsetNode_until_6_4(phGraphNode, hGraph, dependencies, numDependencies,
                                                      OlderMemset(params).get(), ctx);
}

inline hipError_t hipDrvGraphExecMemsetNodeSetParams_until_6_4(hipGraphExec_t hGraphExec,
                                                               hipGraphNode_t hNode,
                                                               const hipMemsetParams *params, hipCtx_t ctx) {
    return entries.hipDrvGraphExecMemsetNodeSetParams_until_6_4(hGraphExec, hNode, OlderMemset(params).get(),
                                                                ctx);
}

} // namespace pygpu::hip::adapt
