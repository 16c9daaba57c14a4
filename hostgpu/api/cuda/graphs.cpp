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
    case c::cudaGraphNodeTypeConditional:
        return add_conditional_node(node, graph, after, count,
                                    *shared<ConditionalNode>(parameters->conditional));
    default:
        return add_common(node, graph, after, count, *parameters);
    }
}

namespace {

// In the graph where there is no executable one.
Status set_parameters(ExecutableTag *executable, NodeTag *node, c::cudaGraphNodeParams *parameters) {
    if (!is_whole(parameters)) return Status::invalid_value;
    switch (parameters->type) {
    case c::cudaGraphNodeTypeKernel:
        return set_work(!executable, executable, node, Task::kernel,
                        launching(&parameters->kernel, is_cooperative(node)));
    case c::cudaGraphNodeTypeMemcpy: {
        const auto *const copy = shared<Copy3D>(parameters->memcpy.copyParams);
        return executable ? GraphExecMemcpyNodeSetParams(executable, node, copy)
                          : GraphMemcpyNodeSetParams(node, copy);
    }
    case c::cudaGraphNodeTypeMemset: {
        const auto *const set = shared<MemsetNode>(parameters->memset);
        return executable ? GraphExecMemsetNodeSetParams(executable, node, set)
                          : GraphMemsetNodeSetParams(node, set);
    }
    default:
        return set_common(executable, node, *parameters);
    }
}

} // namespace

Status GraphNodeSetParams(NodeTag *node, c::cudaGraphNodeParams *parameters) {
    return set_parameters(nullptr, node, parameters);
}

Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::cudaGraphNodeParams *parameters) {
    return executable ? set_parameters(executable, node, parameters) : Status::invalid_value;
}

Status GraphNodeGetParams(NodeTag *node, c::cudaGraphNodeParams *parameters) {
    int type = 0;
    if (!parameters || GraphNodeGetType(node, &type) != Status::success) return Status::invalid_value;
    *parameters = {};
    parameters->type = static_cast<c::cudaGraphNodeType>(type);
    switch (parameters->type) {
    case c::cudaGraphNodeTypeKernel:
        return GraphKernelNodeGetParams(node, &parameters->kernel);
    case c::cudaGraphNodeTypeMemcpy:
        return GraphMemcpyNodeGetParams(node, shared<Copy3D>(parameters->memcpy.copyParams));
    case c::cudaGraphNodeTypeMemset:
        return GraphMemsetNodeGetParams(node, shared<MemsetNode>(parameters->memset));
    default:
        return get_common(node, static_cast<Task>(type), *parameters);
    }
}

} // namespace pygpu::host::cuda
