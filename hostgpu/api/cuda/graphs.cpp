// CUDA's own forms of the functions on captures and graphs.
#include "api/cuda/implemented.hpp"
#include "api/cuda/translate.hpp"
#include "api/nodes.hpp"
#include "cuda_runtime/enumerators.hpp"
#include "streams/capture.hpp"

namespace pygpu::host::cuda {

Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::cudaGraphInstantiateParams *parameters) {
    if (!parameters) return Status::invalid_value;
    int result = 0;
    NodeTag *failed = nullptr;
    const Status status = instantiate_and_upload(executable, graph, parameters->flags,
                                                 as(parameters->uploadStream), result, failed);
    parameters->errNode_out = reinterpret_cast<c::cudaGraphNode_t>(failed);
    parameters->result_out = static_cast<c::cudaGraphInstantiateResult>(result);
    return status;
}

Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::cudaGraphExecUpdateResultInfo *result) {
    if (!result) return Status::invalid_value;
    UpdateResult update{};
    const Status status = update_executable(executable, graph, update);
    *result = {static_cast<c::cudaGraphExecUpdateResult>(update.what),
               reinterpret_cast<c::cudaGraphNode_t>(update.node),
               reinterpret_cast<c::cudaGraphNode_t>(update.from)};
    return status;
}

namespace {

static_assert(offsetof(c::cudaMemsetParamsV2, height) == offsetof(MemsetNode, height));
static_assert(offsetof(c::cudaHostNodeParamsV2, userData) == offsetof(HostCall, data));
static_assert(offsetof(c::cudaConditionalNodeParams, phGraph_out) == offsetof(ConditionalNode, bodies));

} // namespace

Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const GraphEdge *edges,
                    std::size_t count, c::cudaGraphNodeParams *parameters) {
    if (!is_whole(parameters)) return Status::invalid_value;
    if (has_ports(edges, count)) return Status::not_supported;
    switch (parameters->type) {
    case c::cudaGraphNodeTypeKernel:
        return add_work(node, graph, after, count, launching(&parameters->kernel));
    case c::cudaGraphNodeTypeMemcpy:
        return GraphAddMemcpyNode(node, graph, after, count, shared<Copy3D>(parameters->memcpy.copyParams));
    case c::cudaGraphNodeTypeMemset:
        return GraphAddMemsetNode(node, graph, after, count, shared<MemsetNode>(parameters->memset));
    case c::cudaGraphNodeTypeHost:
        return GraphAddHostNode(node, graph, after, count, shared<HostCall>(parameters->host));
    case c::cudaGraphNodeTypeGraph:
        return GraphAddChildGraphNode(node, graph, after, count, as(parameters->graph.graph));
    case c::cudaGraphNodeTypeEmpty:
        return GraphAddEmptyNode(node, graph, after, count);
    case c::cudaGraphNodeTypeConditional:
        return add_conditional_node(node, graph, after, count,
                                    *shared<ConditionalNode>(parameters->conditional));
    default:
        return other_type(static_cast<int>(parameters->type));
    }
}

Status GraphNodeSetParams(NodeTag *node, c::cudaGraphNodeParams *parameters) {
    if (!is_whole(parameters)) return Status::invalid_value;
    switch (parameters->type) {
    case c::cudaGraphNodeTypeKernel:
        return set_work(true, nullptr, node, Task::kernel, launching(&parameters->kernel));
    case c::cudaGraphNodeTypeMemcpy:
        return GraphMemcpyNodeSetParams(node, shared<Copy3D>(parameters->memcpy.copyParams));
    case c::cudaGraphNodeTypeMemset:
        return GraphMemsetNodeSetParams(node, shared<MemsetNode>(parameters->memset));
    case c::cudaGraphNodeTypeHost:
        return GraphHostNodeSetParams(node, shared<HostCall>(parameters->host));
    default:
        return other_type(static_cast<int>(parameters->type));
    }
}

Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::cudaGraphNodeParams *parameters) {
    if (!is_whole(parameters)) return Status::invalid_value;
    switch (parameters->type) {
    case c::cudaGraphNodeTypeKernel:
        return set_work(false, executable, node, Task::kernel, launching(&parameters->kernel));
    case c::cudaGraphNodeTypeMemcpy:
        return GraphExecMemcpyNodeSetParams(executable, node, shared<Copy3D>(parameters->memcpy.copyParams));
    case c::cudaGraphNodeTypeMemset:
        return GraphExecMemsetNodeSetParams(executable, node, shared<MemsetNode>(parameters->memset));
    case c::cudaGraphNodeTypeHost:
        return GraphExecHostNodeSetParams(executable, node, shared<HostCall>(parameters->host));
    default:
        return other_type(static_cast<int>(parameters->type));
    }
}

} // namespace pygpu::host::cuda
