// The CUDA runtime's forms of functions on HIP, for functions of HIP that have other parameters or outputs.
//
// Each has CUDA's name and parameters. Arguments that HIP's function can't express give ErrorNotSupported,
// and an output that it lacks is None. portable.toml of HIP lists the functions; their docstrings are
// generated.
#pragma once

#include "hip_runtime/entries.hpp"
#include "hip_runtime/enumerators.hpp"
#include "hip_runtime/graph.hpp"
#include "module/adapt/older.hpp"
#include "module/adapt/update_result.hpp"
#include "module/portable.hpp"
#include "module/vendor.hpp"

#include <optional>
#include <vector>

namespace pygpu {
namespace hip {
Vendor &vendor(); // generated
}

namespace hip::portable {

// An argument that HIP's function doesn't have: only None is accepted.
struct Unexpressed {
    bool is_set;
};

using Lacking = std::optional<int>; // an output that HIP's function doesn't give

} // namespace hip::portable

template <> struct Converter<hip::portable::Unexpressed> {
    bool is_set = false;

    bool load(PyObject *object, const ArgumentContext &) {
        is_set = object != Py_None;
        return true;
    }
    hip::portable::Unexpressed value() const { return {is_set}; }
};

namespace hip::portable {

inline constexpr auto unsupported = hipErrorNotSupported;

using Node = hipGraphNode_t;
using Nodes = std::vector<hipGraphNode_t>;

inline hipError_t cudaGraphKernelNodeCopyAttributes(Node hDst, Node hSrc) { // HIP has the opposite order
    return entries.hipGraphKernelNodeCopyAttributes(hSrc, hDst);
}

// The same as cudaGraphInstantiateWithFlags, except for the name.
inline Outputs<hipGraphExec_t, hipError_t> cudaGraphInstantiate(hipGraph_t graph, unsigned long long flags) {
    return hipGraphInstantiateWithFlags(graph, flags);
}

// CUDA's name for HIP's code, as the error object has it.
inline const char *cudaGetErrorName(hipError_t error) {
    const StatusType *errors = vendor().portable_errors();
    return errors ? error_name(*errors, static_cast<int>(error)) : nullptr;
}

// HIP's own text; without a library the text of the error object.
inline const char *cudaGetErrorString(hipError_t error) {
    const char *text = entries.hipGetErrorString(error);
    const StatusType *errors = text ? nullptr : vendor().portable_errors();
    return errors ? error_text(*errors, static_cast<int>(error)) : text;
}

inline hipError_t cudaEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
    return flags ? unsupported : entries.hipEventRecord(event, stream);
}

inline hipError_t cudaMemAdvise(Address devPtr, size_t count, hipMemoryAdvise advice,
                                hipMemLocation location) {
    return advise(api, entries.hipMemAdvise, devPtr, count, advice, location);
}

inline hipError_t cudaMemPrefetchAsync(Address devPtr, size_t count, hipMemLocation location,
                                       unsigned int flags, hipStream_t stream) {
    const std::optional<int> device = older_value<int>(location);
    if (!device || flags) return unsupported;
    return entries.hipMemPrefetchAsync(devPtr, count, *device, stream);
}

inline hipError_t cudaGraphAddDependencies(hipGraph_t graph, Array<Node> from, Array<Node> to,
                                           Unexpressed edgeData, size_t numDependencies) {
    return edgeData.is_set ? unsupported : hipGraphAddDependencies(graph, from, to, numDependencies);
}

inline hipError_t cudaGraphRemoveDependencies(hipGraph_t graph, Array<Node> from, Array<Node> to,
                                              Unexpressed edgeData, size_t numDependencies) {
    return edgeData.is_set ? unsupported : hipGraphRemoveDependencies(graph, from, to, numDependencies);
}

inline Outputs<Node, Received<hipGraphNodeParams>, hipError_t>
cudaGraphAddNode(hipGraph_t graph, Array<Node> pDependencies, Unexpressed dependencyData,
                 size_t numDependencies, Received<hipGraphNodeParams> nodeParams) {
    if (dependencyData.is_set) return {nullptr, nodeParams, unsupported};
    return hipGraphAddNode(graph, pDependencies, numDependencies, nodeParams);
}

inline Outputs<ValidOnError<Received<UpdateResult>>, hipError_t>
cudaGraphExecUpdate(hipGraphExec_t hGraphExec, hipGraph_t hGraph) {
    Received<UpdateResult> resultInfo;
    const auto [node, result, status] = hipGraphExecUpdate(hGraphExec, hGraph);
    if (!node.value) return {ValidOnError<Received<UpdateResult>>(), status};
    UpdateResult &update = *resultInfo.memory(); // set field by field, so that the padding stays 0
    update.result = *result.value;
    update.errorNode = *node.value;
    return {ValidOnError(resultInfo), status};
}

inline Outputs<Nodes, Nodes, Lacking, hipError_t> cudaGraphGetEdges(hipGraph_t graph,
                                                                    Count<size_t> numEdges) {
    auto [from, to, status] = hipGraphGetEdges(graph, numEdges);
    return {std::move(from), std::move(to), std::nullopt, status};
}

inline Outputs<Nodes, Lacking, hipError_t> cudaGraphNodeGetDependencies(Node node,
                                                                        Count<size_t> pNumDependencies) {
    auto [nodes, status] = hipGraphNodeGetDependencies(node, pNumDependencies);
    return {std::move(nodes), std::nullopt, status};
}

inline Outputs<Nodes, Lacking, hipError_t> cudaGraphNodeGetDependentNodes(Node node,
                                                                          Count<size_t> pNumDependentNodes) {
    auto [nodes, status] = hipGraphNodeGetDependentNodes(node, pNumDependentNodes);
    return {std::move(nodes), std::nullopt, status};
}

inline Outputs<hipStreamCaptureStatus, unsigned long long, hipGraph_t, Nodes, Lacking, hipError_t>
cudaStreamGetCaptureInfo(hipStream_t stream) {
    auto [capture, id, graph, nodes, status] = hipStreamGetCaptureInfo_v2(stream);
    return {capture, id, graph, std::move(nodes), std::nullopt, status};
}

inline hipError_t cudaStreamUpdateCaptureDependencies(hipStream_t stream, Array<Node> dependencies,
                                                      Unexpressed dependencyData, size_t numDependencies,
                                                      unsigned int flags) {
    if (dependencyData.is_set) return unsupported;
    return hipStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}

} // namespace hip::portable
} // namespace pygpu
