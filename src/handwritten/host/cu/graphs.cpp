// The driver API's own forms of the functions on captures and graphs: mostly the runtime's.
#include "host/cu/implemented.hpp"

#include "cuda_driver/enumerators.hpp"
#include "host/api/nodes.hpp"
#include "host/cu/translate.hpp"

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
    const Status status = GraphInstantiateWithFlags(executable, graph, parameters->flags);
    parameters->hErrNode_out = nullptr;
    parameters->result_out =
        status == Status::success ? c::CUDA_GRAPH_INSTANTIATE_SUCCESS : c::CUDA_GRAPH_INSTANTIATE_ERROR;
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
    NodeTag *differs = nullptr;
    int number = 0;
    const Status status = update_executable(executable, graph, &differs, &number);
    *result = {static_cast<c::CUgraphExecUpdateResult>(number), reinterpret_cast<c::CUgraphNode>(differs),
               nullptr};
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

auto launching(const c::CUDA_KERNEL_NODE_PARAMS *given) {
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
    return add_work(node, graph, after, count, launching(kernel));
}

Status GraphKernelNodeSetParams(NodeTag *node, const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return set_work(true, nullptr, node, launching(kernel));
}

Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::CUDA_KERNEL_NODE_PARAMS *kernel) {
    return set_work(false, executable, node, launching(kernel));
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

} // namespace pygpu::host::cu
