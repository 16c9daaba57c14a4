// The driver API's own forms of the functions on captures and graphs: mostly the runtime's.
#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "api/nodes.hpp"
#include "cuda_driver/enumerators.hpp"
#include "streams/capture.hpp"

namespace pygpu::host::cu {

Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const c::CUgraphEdgeData *edges, std::size_t count, int mode) {
    return begin_capture_to_graph(stream, graph, after, count, edges, mode);
}

Status StreamGetCaptureInfo(StreamTag *stream, int *status, c::cuuint64_t *id, GraphTag **graph,
                            NodeTag *const **nodes, const c::CUgraphEdgeData **edges, std::size_t *count) {
    unsigned long long number = 0;
    const Status asked =
        capture_info(stream, status, &number, graph, nodes, reinterpret_cast<const void **>(edges), count);
    if (id) *id = number;
    return asked;
}

Status StreamUpdateCaptureDependencies(StreamTag *stream, NodeTag **nodes, const c::CUgraphEdgeData *edges,
                                       std::size_t count, unsigned flags) {
    return update_capture_dependencies(stream, nodes, count, edges, flags);
}

Status GraphInstantiate(ExecutableTag **executable, GraphTag *graph, unsigned long long flags) {
    return GraphInstantiateWithFlags(executable, graph, flags);
}

Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
    if (!parameters) return Status::invalid_value;
    int result = 0;
    NodeTag *failed = nullptr;
    const Status status = instantiate_and_upload(executable, graph, parameters->flags,
                                                 as(parameters->hUploadStream), result, failed);
    parameters->hErrNode_out = reinterpret_cast<c::CUgraphNode>(failed);
    parameters->result_out = static_cast<c::CUgraphInstantiateResult>(result);
    return status;
}

Status GraphExecGetFlags(ExecutableTag *executable, c::cuuint64_t *flags) {
    if (!flags) return Status::invalid_value;
    unsigned long long known = 0;
    const Status status = api::GraphExecGetFlags(executable, &known);
    *flags = known;
    return status;
}

Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::CUgraphExecUpdateResultInfo *result) {
    if (!result) return Status::invalid_value;
    UpdateResult found{};
    const Status status = update_executable(executable, graph, found);
    *result = {static_cast<c::CUgraphExecUpdateResult>(found.what),
               reinterpret_cast<c::CUgraphNode>(found.node), reinterpret_cast<c::CUgraphNode>(found.from)};
    return status;
}

Status GraphGetEdges(GraphTag *graph, NodeTag **from, NodeTag **to, c::CUgraphEdgeData *edges,
                     std::size_t *count) {
    return graph_edges(graph, from, to, edges, count);
}

Status GraphNodeGetDependencies(NodeTag *node, NodeTag **others, c::CUgraphEdgeData *edges,
                                std::size_t *count) {
    return node_neighbours(node, true, others, edges, count);
}

Status GraphNodeGetDependentNodes(NodeTag *node, NodeTag **others, c::CUgraphEdgeData *edges,
                                  std::size_t *count) {
    return node_neighbours(node, false, others, edges, count);
}

Status GraphAddDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                            const c::CUgraphEdgeData *edges, std::size_t count) {
    return change_dependencies(graph, from, to, edges, count, true);
}

Status GraphRemoveDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                               const c::CUgraphEdgeData *edges, std::size_t count) {
    return change_dependencies(graph, from, to, edges, count, false);
}

namespace {

template <class Parameters> auto launch_of(const Parameters *given) {
    return [given](const std::shared_ptr<Stream> &stream) {
        if (!given) return Status::invalid_value;
        const Launch launch{{given->gridDimX, given->gridDimY, given->gridDimZ},
                            {given->blockDimX, given->blockDimY, given->blockDimZ},
                            given->sharedMemBytes,
                            nullptr};
        auto *const function = as(given->func ? given->func : reinterpret_cast<c::CUfunction>(given->kern));
        const Status status = launch_function(function, launch, stream, given->kernelParams, given->extra);
        return status == Status::invalid_configuration ? Status::invalid_value : status;
    };
}

} // namespace

Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return add_work(node, graph, after, count, launch_of(kernel));
}

Status GraphKernelNodeSetParams(NodeTag *node, const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return set_work(true, nullptr, node, Task::kernel, launch_of(kernel));
}

Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return set_work(false, executable, node, Task::kernel, launch_of(kernel));
}

Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node, const MemsetNode *set,
                                    c::CUcontext context) {
    if (!context_of(context)) return Status::invalid_context;
    return api::GraphExecMemsetNodeSetParams(executable, node, set);
}

Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const MemsetNode *set, c::CUcontext context) {
    if (!context_of(context)) return Status::invalid_context;
    return api::GraphAddMemsetNode(node, graph, after, count, set);
}

Status GraphConditionalHandleCreate(c::cuuint64_t *handle, GraphTag *graph, c::CUcontext context,
                                    unsigned first, unsigned flags) {
    if (!context || !context_of(context)) return Status::invalid_context;
    unsigned long long made = 0;
    const Status status = make_condition_handle(handle ? &made : nullptr, graph, first, flags);
    if (status == Status::success) *handle = made;
    return status;
}

namespace {

static_assert(offsetof(c::CUDA_MEMSET_NODE_PARAMS_v2, height) == offsetof(MemsetNode, height));
static_assert(offsetof(c::CUDA_HOST_NODE_PARAMS_v2, userData) == offsetof(HostCall, data));
static_assert(offsetof(c::CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out) == offsetof(ConditionalNode, bodies));

} // namespace

Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const c::CUgraphEdgeData *edges,
                    std::size_t count, c::CUgraphNodeParams *given) {
    if (!is_whole(given)) return Status::invalid_value;
    if (has_ports(edges, count)) return Status::not_supported;
    switch (given->type) {
    case c::CU_GRAPH_NODE_TYPE_KERNEL:
        return add_work(node, graph, after, count, launch_of(&given->kernel));
    case c::CU_GRAPH_NODE_TYPE_MEMCPY:
        return GraphAddMemcpyNode(node, graph, after, count, &given->memcpy.copyParams,
                                  given->memcpy.copyCtx);
    case c::CU_GRAPH_NODE_TYPE_MEMSET:
        return GraphAddMemsetNode(node, graph, after, count, shared<MemsetNode>(given->memset),
                                  given->memset.ctx);
    case c::CU_GRAPH_NODE_TYPE_HOST:
        return GraphAddHostNode(node, graph, after, count, shared<HostCall>(given->host));
    case c::CU_GRAPH_NODE_TYPE_GRAPH:
        return GraphAddChildGraphNode(node, graph, after, count, as(given->graph.graph));
    case c::CU_GRAPH_NODE_TYPE_EMPTY:
        return GraphAddEmptyNode(node, graph, after, count);
    case c::CU_GRAPH_NODE_TYPE_CONDITIONAL:
        if (!given->conditional.ctx || !context_of(given->conditional.ctx)) return Status::invalid_context;
        return add_conditional_node(node, graph, after, count, *shared<ConditionalNode>(given->conditional));
    default:
        return other_type(static_cast<int>(given->type));
    }
}

Status GraphAddNode_v3(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                       const c::CUgraphEdgeData *edges, std::size_t count, c::CUgraphNodeParams *given) {
    return GraphAddNode(node, graph, after, edges, count, given);
}

Status GraphNodeSetParams(NodeTag *node, c::CUgraphNodeParams *given) {
    if (!is_whole(given)) return Status::invalid_value;
    switch (given->type) {
    case c::CU_GRAPH_NODE_TYPE_KERNEL:
        return set_work(true, nullptr, node, Task::kernel, launch_of(&given->kernel));
    case c::CU_GRAPH_NODE_TYPE_MEMCPY:
        return GraphMemcpyNodeSetParams(node, &given->memcpy.copyParams);
    case c::CU_GRAPH_NODE_TYPE_MEMSET:
        return GraphMemsetNodeSetParams(node, shared<MemsetNode>(given->memset));
    case c::CU_GRAPH_NODE_TYPE_HOST:
        return GraphHostNodeSetParams(node, shared<HostCall>(given->host));
    default:
        return other_type(static_cast<int>(given->type));
    }
}

Status GraphNodeSetParams_v2(NodeTag *node, c::CUgraphNodeParams *given) {
    return GraphNodeSetParams(node, given);
}

Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::CUgraphNodeParams *given) {
    if (!is_whole(given)) return Status::invalid_value;
    switch (given->type) {
    case c::CU_GRAPH_NODE_TYPE_KERNEL:
        return set_work(false, executable, node, Task::kernel, launch_of(&given->kernel));
    case c::CU_GRAPH_NODE_TYPE_MEMCPY:
        return GraphExecMemcpyNodeSetParams(executable, node, &given->memcpy.copyParams,
                                            given->memcpy.copyCtx);
    case c::CU_GRAPH_NODE_TYPE_MEMSET:
        return GraphExecMemsetNodeSetParams(executable, node, shared<MemsetNode>(given->memset),
                                            given->memset.ctx);
    case c::CU_GRAPH_NODE_TYPE_HOST:
        return GraphExecHostNodeSetParams(executable, node, shared<HostCall>(given->host));
    default:
        return other_type(static_cast<int>(given->type));
    }
}

} // namespace pygpu::host::cu
