// The driver API's own forms of the functions on captures and graphs: mostly the runtime's.
#include "api/cu/implemented.hpp"
#include "api/cu/translate.hpp"
#include "api/nodes.hpp"
#include "cuda_driver/enumerators.hpp"
#include "streams/capture.hpp"

namespace pygpu::host::cu {

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

Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::CUgraphExecUpdateResultInfo *result) {
    if (!result) return Status::invalid_value;
    UpdateResult update{};
    const Status status = update_executable(executable, graph, update);
    *result = {static_cast<c::CUgraphExecUpdateResult>(update.what),
               reinterpret_cast<c::CUgraphNode>(update.node), reinterpret_cast<c::CUgraphNode>(update.from)};
    return status;
}

namespace {

template <class Parameters> auto launch_of(const Parameters *parameters, bool cooperative = false) {
    return [=](const std::shared_ptr<Stream> &stream) {
        if (!parameters) return Status::invalid_value;
        const Launch launch{{parameters->gridDimX, parameters->gridDimY, parameters->gridDimZ},
                            {parameters->blockDimX, parameters->blockDimY, parameters->blockDimZ},
                            parameters->sharedMemBytes,
                            nullptr,
                            cooperative};
        auto *const function =
            as(parameters->func ? parameters->func : reinterpret_cast<c::CUfunction>(parameters->kern));
        const Status status =
            launch_function(function, launch, stream, parameters->kernelParams, parameters->extra);
        return status == Status::invalid_configuration ? Status::invalid_value : status;
    };
}

} // namespace

Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return add_work(node, graph, after, count, launch_of(kernel));
}

Status GraphKernelNodeSetParams(NodeTag *node, const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return set_work(true, nullptr, node, Task::kernel, launch_of(kernel, is_cooperative(node)));
}

Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return set_work(false, executable, node, Task::kernel, launch_of(kernel, is_cooperative(node)));
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

namespace {

// The context is checked, and the node keeps it.
Status check_context(const BatchNode *batch) {
    if (!batch) return Status::invalid_value;
    if (!batch->context) return Status::invalid_value;
    return contexts().find(batch->context) ? Status::success : Status::invalid_context;
}

} // namespace

Status GraphAddBatchMemOpNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              const BatchNode *batch) {
    if (const Status status = check_context(batch); status != Status::success) return status;
    return api::GraphAddBatchMemOpNode(node, graph, after, count, batch);
}

Status GraphBatchMemOpNodeSetParams(NodeTag *node, const BatchNode *batch) {
    if (const Status status = check_context(batch); status != Status::success) return status;
    return api::GraphBatchMemOpNodeSetParams(node, batch);
}

Status GraphExecBatchMemOpNodeSetParams(ExecutableTag *executable, NodeTag *node, const BatchNode *batch) {
    if (const Status status = check_context(batch); status != Status::success) return status;
    return api::GraphExecBatchMemOpNodeSetParams(executable, node, batch);
}

Status GraphConditionalHandleCreate(c::cuuint64_t *handle, GraphTag *graph, c::CUcontext context,
                                    unsigned first, unsigned flags) {
    if (!context || !context_of(context)) return Status::invalid_context;
    unsigned long long result = 0;
    const Status status = make_condition_handle(handle ? &result : nullptr, graph, first, flags);
    if (status == Status::success) *handle = result;
    return status;
}

namespace {

static_assert(offsetof(c::CUDA_MEMSET_NODE_PARAMS_v2, height) == offsetof(MemsetNode, height));
static_assert(offsetof(c::CUDA_HOST_NODE_PARAMS_v2, userData) == offsetof(HostCall, data));
static_assert(offsetof(c::CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out) == offsetof(ConditionalNode, bodies));

} // namespace

Status GraphAddNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, const GraphEdge *edges,
                    std::size_t count, c::CUgraphNodeParams *parameters) {
    if (!is_whole(parameters)) return Status::invalid_value;
    if (has_ports(edges, count)) return Status::not_supported;
    switch (parameters->type) {
    case c::CU_GRAPH_NODE_TYPE_KERNEL:
        return add_work(node, graph, after, count, launch_of(&parameters->kernel));
    case c::CU_GRAPH_NODE_TYPE_MEMCPY:
        return GraphAddMemcpyNode(node, graph, after, count, &parameters->memcpy.copyParams,
                                  parameters->memcpy.copyCtx);
    case c::CU_GRAPH_NODE_TYPE_MEMSET:
        return GraphAddMemsetNode(node, graph, after, count, shared<MemsetNode>(parameters->memset),
                                  parameters->memset.ctx);
    case c::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return GraphAddBatchMemOpNode(node, graph, after, count, shared<BatchNode>(parameters->memOp));
    case c::CU_GRAPH_NODE_TYPE_CONDITIONAL:
        if (!parameters->conditional.ctx || !context_of(parameters->conditional.ctx))
            return Status::invalid_context;
        return add_conditional_node(node, graph, after, count,
                                    *shared<ConditionalNode>(parameters->conditional));
    default:
        return add_common(node, graph, after, count, *parameters);
    }
}

namespace {

// In the graph where there is no executable one.
Status set_parameters(ExecutableTag *executable, NodeTag *node, c::CUgraphNodeParams *parameters) {
    if (!is_whole(parameters)) return Status::invalid_value;
    switch (parameters->type) {
    case c::CU_GRAPH_NODE_TYPE_KERNEL:
        return set_work(!executable, executable, node, Task::kernel,
                        launch_of(&parameters->kernel, is_cooperative(node)));
    case c::CU_GRAPH_NODE_TYPE_MEMCPY:
        return executable ? GraphExecMemcpyNodeSetParams(executable, node, &parameters->memcpy.copyParams,
                                                         parameters->memcpy.copyCtx)
                          : GraphMemcpyNodeSetParams(node, &parameters->memcpy.copyParams);
    case c::CU_GRAPH_NODE_TYPE_MEMSET: {
        const auto *const set = shared<MemsetNode>(parameters->memset);
        return executable ? GraphExecMemsetNodeSetParams(executable, node, set, parameters->memset.ctx)
                          : GraphMemsetNodeSetParams(node, set);
    }
    case c::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
        const auto *const batch = shared<BatchNode>(parameters->memOp);
        return executable ? GraphExecBatchMemOpNodeSetParams(executable, node, batch)
                          : GraphBatchMemOpNodeSetParams(node, batch);
    }
    default:
        return set_common(executable, node, *parameters);
    }
}

template <class Parameters> Status get_kernel(NodeTag *node, Parameters *kernel) {
    const auto call = asked<KernelCall>(node, Task::kernel);
    if (!call || !kernel) return Status::invalid_value;
    *kernel = {};
    kernel->func = static_cast<c::CUfunction>(const_cast<void *>(call->function));
    kernel->gridDimX = call->grid.x;
    kernel->gridDimY = call->grid.y;
    kernel->gridDimZ = call->grid.z;
    kernel->blockDimX = call->block.x;
    kernel->blockDimY = call->block.y;
    kernel->blockDimZ = call->block.z;
    kernel->sharedMemBytes = static_cast<unsigned>(call->shared);
    give_values(*call, kernel->kernelParams, kernel->extra);
    return Status::success;
}

} // namespace

Status GraphNodeSetParams(NodeTag *node, c::CUgraphNodeParams *parameters) {
    return set_parameters(nullptr, node, parameters);
}

Status GraphExecNodeSetParams(ExecutableTag *executable, NodeTag *node, c::CUgraphNodeParams *parameters) {
    return executable ? set_parameters(executable, node, parameters) : Status::invalid_value;
}

Status GraphKernelNodeGetParams(NodeTag *node, c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return get_kernel(node, kernel);
}

Status GraphNodeGetParams(NodeTag *node, c::CUgraphNodeParams *parameters) {
    int type = 0;
    if (!parameters || GraphNodeGetType(node, &type) != Status::success) return Status::invalid_value;
    *parameters = {};
    parameters->type = static_cast<c::CUgraphNodeType>(type);
    switch (parameters->type) {
    case c::CU_GRAPH_NODE_TYPE_KERNEL:
        return get_kernel(node, &parameters->kernel);
    case c::CU_GRAPH_NODE_TYPE_MEMCPY:
        return GraphMemcpyNodeGetParams(node, &parameters->memcpy.copyParams);
    case c::CU_GRAPH_NODE_TYPE_MEMSET:
        return GraphMemsetNodeGetParams(node, shared<MemsetNode>(parameters->memset));
    case c::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        return GraphBatchMemOpNodeGetParams(node, shared<BatchNode>(parameters->memOp));
    default:
        return get_common(node, static_cast<Task>(type), *parameters);
    }
}

} // namespace pygpu::host::cu
