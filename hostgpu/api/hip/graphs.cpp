// HIP's own forms of the functions on captures and graphs, and its own checks: hipamd/src/hip_graph.cpp and
// hip_graph_internal.hpp of ROCm/clr, as of ROCm 6.
#include "api/find.hpp"
#include "api/hip/implemented.hpp"
#include "api/hip/transfers.hpp"
#include "api/hip/translate.hpp"
#include "api/nodes.hpp"
#include "hip_runtime/enumerators.hpp"
#include "streams/capture.hpp"

#include <algorithm>
#include <cstring>

namespace pygpu::host::hip {

Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const c::hipGraphEdgeData *edges, std::size_t count, int mode) {
    if (edges) return Status::not_supported;
    if (!graph || !after != !count) return Status::invalid_value;
    return api::StreamBeginCaptureToGraph(stream, graph, after, nullptr, count, mode);
}

// Nothing is ever logged.
Status GraphInstantiate(ExecutableTag **executable, GraphTag *graph, NodeTag **failed, char *log,
                        std::size_t size) {
    if (failed) *failed = nullptr;
    if (log && size) *log = 0;
    return GraphInstantiateWithFlags(executable, graph, 0);
}

Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::hipGraphInstantiateParams *parameters) {
    if (!parameters) return Status::invalid_value;
    int result = 0;
    NodeTag *failed = nullptr;
    const Status status = instantiate_and_upload(executable, graph, parameters->flags,
                                                 as(parameters->uploadStream), result, failed);
    parameters->errNode_out = nullptr;
    parameters->result_out = result ? c::hipGraphInstantiateError : c::hipGraphInstantiateSuccess;
    return status;
}

Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, NodeTag **differs, int *result) {
    if (!differs || !result) return Status::invalid_value;
    UpdateResult update{};
    const Status status = update_executable(executable, graph, update);
    *differs = update.node;
    *result = update.what;
    return status;
}

namespace {

// GraphMemcpyNode1D::ValidateParams(): a copy between hosts may not reach one end that is a device's. Those
// of the other kinds are checked with the copy.
Status check_flat(const void *to, const void *from, int kind) {
    if (!to || !from) return Status::invalid_value;
    if (!is_copy_kind(plain(kind))) return Status::invalid_memcpy_direction;
    return kind == host_to_host && !memory_at(to) != !memory_at(from) ? Status::invalid_value
                                                                      : Status::success;
}

// What the two functions for a node that is there check before.
Status check_other(const void *to, const void *from, int kind) {
    return to == from ? Status::invalid_value : check_flat(to, from, kind);
}

} // namespace

Status GraphAddMemcpyNode1D(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            void *to, const void *from, std::size_t size, int kind) {
    const Status status = check_flat(to, from, kind);
    if (status != Status::success) return status;
    return api::GraphAddMemcpyNode1D(node, graph, after, count, to, from, size, plain(kind));
}

Status GraphMemcpyNodeSetParams1D(NodeTag *node, void *to, const void *from, std::size_t size, int kind) {
    const Status status = check_other(to, from, kind);
    if (status != Status::success) return status;
    return api::GraphMemcpyNodeSetParams1D(node, to, from, size, plain(kind));
}

Status GraphExecMemcpyNodeSetParams1D(ExecutableTag *executable, NodeTag *node, void *to, const void *from,
                                      std::size_t size, int kind) {
    const Status status = check_other(to, from, kind);
    if (status != Status::success) return status;
    return api::GraphExecMemcpyNodeSetParams1D(executable, node, to, from, size, plain(kind));
}

Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Copy3D *copy) {
    const Status status = copy ? check_3d(*copy) : Status::invalid_value;
    if (status != Status::success) return status;
    const Copy3D parameters = with_plain_kind(*copy);
    return api::GraphAddMemcpyNode(node, graph, after, count, &parameters);
}

Status GraphMemcpyNodeSetParams(NodeTag *node, const Copy3D *copy) {
    const Status status = copy ? check_3d(*copy) : Status::invalid_value;
    if (status != Status::success) return status;
    const Copy3D parameters = with_plain_kind(*copy);
    return api::GraphMemcpyNodeSetParams(node, &parameters);
}

Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const Copy3D *copy) {
    if (!copy || check_3d(*copy) != Status::success) return Status::invalid_value;
    const Copy3D parameters = with_plain_kind(*copy);
    return api::GraphExecMemcpyNodeSetParams(executable, node, &parameters);
}

namespace {

// ihipGraphMemsetParams_validate()
bool is_set(const c::hipMemsetParams *parameters) {
    if (!parameters) return false;
    const Memory memory = memory_at(parameters->dst);
    return !memory || (CheckedInt(parameters->pitch) * parameters->height).saturated() <= memory->size;
}

c::hipMemsetParams runtime_form(const MemsetNode &set) {
    return {set.to, set.element, set.height, set.pitch, set.value, set.width};
}

MemsetNode shared_form(const c::hipMemsetParams &parameters) {
    return {parameters.dst,         parameters.pitch, parameters.value,
            parameters.elementSize, parameters.width, parameters.height};
}

} // namespace

Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::hipMemsetParams *parameters) {
    if (!is_set(parameters)) return Status::invalid_value;
    const MemsetNode set = shared_form(*parameters);
    return api::GraphAddMemsetNode(node, graph, after, count, &set);
}

Status GraphMemsetNodeSetParams(NodeTag *node, const c::hipMemsetParams *parameters) {
    if (!is_set(parameters)) return Status::invalid_value;
    const MemsetNode set = shared_form(*parameters);
    return api::GraphMemsetNodeSetParams(node, &set);
}

Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::hipMemsetParams *parameters) {
    if (!is_set(parameters)) return Status::invalid_value;
    const MemsetNode set = shared_form(*parameters);
    return api::GraphExecMemsetNodeSetParams(executable, node, &set);
}

Status GraphMemsetNodeGetParams(NodeTag *node, c::hipMemsetParams *parameters) {
    MemsetNode set{};
    const Status status = parameters ? api::GraphMemsetNodeGetParams(node, &set) : Status::invalid_value;
    if (status == Status::success) *parameters = runtime_form(set);
    return status;
}

// Before release 7 HIP's values have 32 bytes, which hold all attributes that it has.
constexpr std::size_t value_bytes = 32;

Status GraphKernelNodeGetAttribute(NodeTag *node, int attribute, AttributeValue *value) {
    AttributeValue whole{};
    const Status status =
        value ? api::GraphKernelNodeGetAttribute(node, attribute, &whole) : Status::invalid_value;
    if (status == Status::success) std::memcpy(value->bytes, whole.bytes, value_bytes);
    return status;
}

Status GraphKernelNodeSetAttribute(NodeTag *node, int attribute, const AttributeValue *value) {
    AttributeValue whole{};
    if (value) std::memcpy(whole.bytes, value->bytes, value_bytes);
    return api::GraphKernelNodeSetAttribute(node, attribute, value ? &whole : nullptr);
}

Status GraphAddMemFreeNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                           void *address) {
    if (after && !count) return Status::invalid_value;
    return api::GraphAddMemFreeNode(node, graph, after, count, address);
}

namespace {

// Types from here on are HIP's own, and have no node.
bool is_common(c::hipGraphNodeType type) { return type <= c::hipGraphNodeTypeMemFree; }

} // namespace

// Reserved bytes aren't looked at, and there is no empty node.
Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                    c::hipGraphNodeParams *parameters) {
    if (!parameters) return Status::invalid_value;
    switch (parameters->type) {
    case c::hipGraphNodeTypeKernel:
        return GraphAddKernelNode(node, graph, after, count, &parameters->kernel);
    case c::hipGraphNodeTypeMemcpy:
        return GraphAddMemcpyNode(node, graph, after, count, shared<Copy3D>(parameters->memcpy.copyParams));
    case c::hipGraphNodeTypeMemset:
        return GraphAddMemsetNode(node, graph, after, count, &parameters->memset);
    case c::hipGraphNodeTypeEmpty:
        return Status::invalid_value;
    default:
        return is_common(parameters->type) ? add_common(node, graph, after, count, *parameters)
                                           : Status::invalid_value;
    }
}

namespace {

// ihipGraphNodeSetParams(): in the graph where there is no executable one.
Status set_parameters(ExecutableTag *executable, NodeTag *node, c::hipGraphNodeParams *parameters) {
    if (!node || !parameters) return Status::invalid_value;
    switch (parameters->type) {
    case c::hipGraphNodeTypeKernel:
        return executable ? GraphExecKernelNodeSetParams(executable, node, &parameters->kernel)
                          : GraphKernelNodeSetParams(node, &parameters->kernel);
    case c::hipGraphNodeTypeMemcpy: {
        const auto *const copy = shared<Copy3D>(parameters->memcpy.copyParams);
        return executable ? GraphExecMemcpyNodeSetParams(executable, node, copy)
                          : GraphMemcpyNodeSetParams(node, copy);
    }
    case c::hipGraphNodeTypeMemset:
        return executable ? GraphExecMemsetNodeSetParams(executable, node, &parameters->memset)
                          : GraphMemsetNodeSetParams(node, &parameters->memset);
    case c::hipGraphNodeTypeEmpty:
        return Status::invalid_value;
    default:
        return is_common(parameters->type) ? set_common(executable, node, *parameters)
                                           : Status::invalid_value;
    }
}

} // namespace

Status GraphNodeSetParams(NodeTag *node, c::hipGraphNodeParams *parameters) {
    return set_parameters(nullptr, node, parameters);
}

Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::hipGraphNodeParams *parameters) {
    return executable ? set_parameters(executable, node, parameters) : Status::invalid_value;
}

} // namespace pygpu::host::hip
