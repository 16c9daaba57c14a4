// The wrappers of CUDA's forms on HIP, and what the call path is told about each.
#include "module/adapt/portable.hpp"

#include "hip_runtime/entries.hpp"
#include "hip_runtime/enumerators.hpp"
#include "hip_runtime/graph.hpp"
#include "module/adapt/places.hpp"
#include "module/adapt/update_result.hpp"
#include "module/portable.hpp"

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace pygpu {
namespace hip::portable {

// An argument that HIP's function has no place for: None says nothing.
struct Unexpressed {
    bool given;
};

using Lacking = std::optional<int>; // an output that HIP's function doesn't give

} // namespace hip::portable

template <> struct Converter<hip::portable::Unexpressed> {
    bool given = false;

    bool load(PyObject *object, const ArgumentContext &) {
        given = object != Py_None;
        return true;
    }
    void fallback(long long) {}
    hip::portable::Unexpressed value() const { return {given}; }
};

namespace hip::portable {
namespace {

constexpr auto unsupported = hipErrorNotSupported;

using Node = hipGraphNode_t;
using Nodes = std::vector<hipGraphNode_t>;

hipError_t copy_attributes(Node hDst, Node hSrc) { // HIP's are the other way round
    return entries.hipGraphKernelNodeCopyAttributes(hSrc, hDst);
}

// Other than cudaGraphInstantiateWithFlags, which HIP's function stands for, in its name alone.
std::tuple<hipGraphExec_t, hipError_t> instantiate(hipGraph_t graph, unsigned long long flags) {
    return hipGraphInstantiateWithFlags(graph, flags);
}

// CUDA's name of HIP's code, as that of the error object.
const char *get_error_name(hipError_t error) {
    const ErrorType *errors = portable_errors();
    return errors ? error_name(*errors, static_cast<int>(error)) : nullptr;
}

// HIP's own text; without a library that of the error object.
const char *get_error_string(hipError_t error) {
    const char *text = entries.hipGetErrorString(error);
    const ErrorType *errors = text ? nullptr : portable_errors();
    return errors ? error_text(*errors, static_cast<int>(error)) : text;
}

hipError_t record_event(hipEvent_t event, hipStream_t stream, unsigned int flags) {
    return flags ? unsupported : entries.hipEventRecord(event, stream);
}

hipError_t mem_advise(Address devPtr, size_t count, hipMemoryAdvise advice, hipMemLocation location) {
    const std::optional<int> device = ignores_place(advice) ? 0 : ordinal(location);
    return device ? entries.hipMemAdvise(devPtr, count, advice, *device) : unsupported;
}

hipError_t mem_prefetch(Address devPtr, size_t count, hipMemLocation location, unsigned int flags,
                        hipStream_t stream) {
    const std::optional<int> device = ordinal(location);
    if (!device || flags) return unsupported;
    return entries.hipMemPrefetchAsync(devPtr, count, *device, stream);
}

hipError_t add_dependencies(hipGraph_t graph, Array<Node> from, Array<Node> to, Unexpressed edgeData,
                            size_t numDependencies) {
    return edgeData.given ? unsupported : hipGraphAddDependencies(graph, from, to, numDependencies);
}

hipError_t remove_dependencies(hipGraph_t graph, Array<Node> from, Array<Node> to, Unexpressed edgeData,
                               size_t numDependencies) {
    return edgeData.given ? unsupported : hipGraphRemoveDependencies(graph, from, to, numDependencies);
}

std::tuple<Node, Received<hipGraphNodeParams>, hipError_t>
add_node(hipGraph_t graph, Array<Node> pDependencies, Unexpressed dependencyData, size_t numDependencies,
         Received<hipGraphNodeParams> nodeParams) {
    if (dependencyData.given) return {nullptr, nodeParams, unsupported};
    return hipGraphAddNode(graph, pDependencies, numDependencies, nodeParams);
}

std::tuple<ValidOnError<Received<UpdateResult>>, hipError_t> update_exec(hipGraphExec_t hGraphExec,
                                                                         hipGraph_t hGraph) {
    Received<UpdateResult> resultInfo;
    const auto [node, result, status] = hipGraphExecUpdate(hGraphExec, hGraph);
    if (!node.value) return {ValidOnError<Received<UpdateResult>>(), status};
    UpdateResult &update = *resultInfo.memory(); // by its fields: what lies between them stays 0
    update.result = *result.value;
    update.errorNode = *node.value;
    return {ValidOnError(resultInfo), status};
}

std::tuple<Nodes, Nodes, Lacking, hipError_t> get_edges(hipGraph_t graph, Count<size_t> numEdges) {
    auto [from, to, status] = hipGraphGetEdges(graph, numEdges);
    return {std::move(from), std::move(to), std::nullopt, status};
}

std::tuple<Nodes, Lacking, hipError_t> get_dependencies(Node node, Count<size_t> pNumDependencies) {
    auto [nodes, status] = hipGraphNodeGetDependencies(node, pNumDependencies);
    return {std::move(nodes), std::nullopt, status};
}

std::tuple<Nodes, Lacking, hipError_t> get_dependent_nodes(Node node, Count<size_t> pNumDependentNodes) {
    auto [nodes, status] = hipGraphNodeGetDependentNodes(node, pNumDependentNodes);
    return {std::move(nodes), std::nullopt, status};
}

std::tuple<hipStreamCaptureStatus, unsigned long long, hipGraph_t, Nodes, Lacking, hipError_t>
get_capture_info(hipStream_t stream) {
    auto [capture, id, graph, nodes, status] = hipStreamGetCaptureInfo_v2(stream);
    return {capture, id, graph, std::move(nodes), std::nullopt, status};
}

hipError_t update_capture_dependencies(hipStream_t stream, Array<Node> dependencies,
                                       Unexpressed dependencyData, size_t numDependencies,
                                       unsigned int flags) {
    if (dependencyData.given) return unsupported;
    return hipStreamUpdateCaptureDependencies(stream, dependencies, numDependencies, flags);
}

} // namespace
} // namespace hip::portable

// Names and docstrings that a user sees are those of CUDA's row.
template <>
const FunctionRecord record<&hip::portable::mem_advise> = {
    .api = hip::api,
    .name = "cudaMemAdvise",
    .doc = "",
};
template <> struct SizeRequirements<&hip::portable::mem_advise> {
    static auto of(auto, std::size_t count, auto...) { return std::array{SizeRequirement{0, count}}; }
};

template <>
const FunctionRecord record<&hip::portable::record_event> = {
    .api = hip::api,
    .name = "cudaEventRecordWithFlags",
    .doc = "",
    .fallbacks = values<0, 0>,
};

template <>
const FunctionRecord record<&hip::portable::instantiate> = {
    .api = hip::api,
    .name = "cudaGraphInstantiate",
    .doc = "",
    .fallbacks = values<0>,
};

template <>
const FunctionRecord record<&hip::portable::get_error_name> = {
    .api = hip::api,
    .name = "cudaGetErrorName",
    .doc = "",
    .gil = Gil::keep,
};

template <>
const FunctionRecord record<&hip::portable::get_error_string> = {
    .api = hip::api,
    .name = "cudaGetErrorString",
    .doc = "",
    .gil = Gil::keep,
};

template <>
const FunctionRecord record<&hip::portable::update_exec> = {
    .api = hip::api,
    .name = "cudaGraphExecUpdate",
    .doc = "",
};

template <>
const FunctionRecord record<&hip::portable::mem_prefetch> = {
    .api = hip::api,
    .name = "cudaMemPrefetchAsync",
    .doc = "",
    .fallbacks = values<0>,
};
template <> struct SizeRequirements<&hip::portable::mem_prefetch> {
    static auto of(auto, std::size_t count, auto...) { return std::array{SizeRequirement{0, count}}; }
};

template <>
const FunctionRecord record<&hip::portable::add_dependencies> = {
    .api = hip::api,
    .name = "cudaGraphAddDependencies",
    .doc = "",
};
template <> struct SizeRequirements<&hip::portable::add_dependencies> {
    static auto of(auto, auto, auto, auto, std::size_t count) {
        return std::array{SizeRequirement{1, count}, SizeRequirement{2, count}};
    }
};

template <>
const FunctionRecord record<&hip::portable::remove_dependencies> = {
    .api = hip::api,
    .name = "cudaGraphRemoveDependencies",
    .doc = "",
};
template <> struct SizeRequirements<&hip::portable::remove_dependencies> {
    static auto of(auto, auto, auto, auto, std::size_t count) {
        return std::array{SizeRequirement{1, count}, SizeRequirement{2, count}};
    }
};

template <>
const FunctionRecord record<&hip::portable::add_node> = {
    .api = hip::api,
    .name = "cudaGraphAddNode",
    .doc = "",
};
template <> struct CrossChecks<&hip::portable::add_node> {
    static constexpr auto how = std::tuple{CrossCheck<4, 0>{}};
};
template <> struct SizeRequirements<&hip::portable::add_node> {
    static auto of(auto, auto, auto, std::size_t count, auto) {
        return std::array{SizeRequirement{1, count}};
    }
};

template <>
const FunctionRecord record<&hip::portable::copy_attributes> = {
    .api = hip::api,
    .name = "cudaGraphKernelNodeCopyAttributes",
    .doc = "",
};

template <>
const FunctionRecord record<&hip::portable::get_edges> = {
    .api = hip::api,
    .name = "cudaGraphGetEdges",
    .doc = "",
    .fallbacks = values<-1>,
    .positional = 1,
};

template <>
const FunctionRecord record<&hip::portable::get_dependencies> = {
    .api = hip::api,
    .name = "cudaGraphNodeGetDependencies",
    .doc = "",
    .fallbacks = values<-1>,
    .positional = 1,
};

template <>
const FunctionRecord record<&hip::portable::get_dependent_nodes> = {
    .api = hip::api,
    .name = "cudaGraphNodeGetDependentNodes",
    .doc = "",
    .fallbacks = values<-1>,
    .positional = 1,
};

template <>
const FunctionRecord record<&hip::portable::get_capture_info> = {
    .api = hip::api,
    .name = "cudaStreamGetCaptureInfo",
    .doc = "",
};

template <>
const FunctionRecord record<&hip::portable::update_capture_dependencies> = {
    .api = hip::api,
    .name = "cudaStreamUpdateCaptureDependencies",
    .doc = "",
    .fallbacks = values<0>,
};
template <> struct SizeRequirements<&hip::portable::update_capture_dependencies> {
    static auto of(auto, auto, auto, std::size_t count, auto) {
        return std::array{SizeRequirement{1, count}};
    }
};

namespace hip::portable {

const Function cudaEventRecordWithFlags = bound<&record_event>;
const Function cudaGetErrorName = bound<&get_error_name>;
const Function cudaGetErrorString = bound<&get_error_string>;
const Function cudaGraphAddDependencies = bound<&add_dependencies>;
const Function cudaGraphAddNode = bound<&add_node>;
const Function cudaGraphExecUpdate = bound<&update_exec>;
const Function cudaGraphGetEdges = bound<&get_edges>;
const Function cudaGraphInstantiate = bound<&instantiate>;
const Function cudaGraphKernelNodeCopyAttributes = bound<&copy_attributes>;
const Function cudaGraphNodeGetDependencies = bound<&get_dependencies>;
const Function cudaGraphNodeGetDependentNodes = bound<&get_dependent_nodes>;
const Function cudaGraphRemoveDependencies = bound<&remove_dependencies>;
const Function cudaMemAdvise = bound<&mem_advise>;
const Function cudaMemPrefetchAsync = bound<&mem_prefetch>;
const Function cudaStreamGetCaptureInfo = bound<&get_capture_info>;
const Function cudaStreamUpdateCaptureDependencies = bound<&update_capture_dependencies>;

} // namespace hip::portable
} // namespace pygpu
