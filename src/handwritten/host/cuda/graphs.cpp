// CUDA's own forms of the functions on captures and graphs.
#include "host/cuda/implemented.hpp"

#include "cuda_runtime/enumerators.hpp"
#include "host/api/nodes.hpp"
#include "host/cuda/translate.hpp"

namespace pygpu::host::cuda {

Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const c::cudaGraphEdgeData *edges, std::size_t count, int mode) {
    return begin_capture_to_graph(stream, graph, after, count, edges, mode);
}

Status StreamGetCaptureInfo(StreamTag *stream, int *status, unsigned long long *id, GraphTag **graph,
                            NodeTag *const **nodes, const c::cudaGraphEdgeData **edges, std::size_t *count) {
    return capture_info(stream, status, id, graph, nodes, reinterpret_cast<const void **>(edges), count);
}

Status StreamUpdateCaptureDependencies(StreamTag *stream, NodeTag **nodes, const c::cudaGraphEdgeData *edges,
                                       std::size_t count, unsigned flags) {
    return update_capture_dependencies(stream, nodes, count, edges, flags);
}

Status GraphInstantiate(ExecutableTag **executable, GraphTag *graph, unsigned long long flags) {
    return GraphInstantiateWithFlags(executable, graph, flags);
}

Status GraphInstantiateWithParams(ExecutableTag **executable, GraphTag *graph,
                                  c::cudaGraphInstantiateParams *parameters) {
    if (!parameters) return Status::invalid_value;
    const Status status = GraphInstantiateWithFlags(executable, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out =
        status == Status::success ? c::cudaGraphInstantiateSuccess : c::cudaGraphInstantiateError;
    return status;
}

Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, c::cudaGraphExecUpdateResultInfo *result) {
    if (!result) return Status::invalid_value;
    NodeTag *differs = nullptr;
    int number = 0;
    const Status status = update_executable(executable, graph, &differs, &number);
    *result = {static_cast<c::cudaGraphExecUpdateResult>(number),
               reinterpret_cast<c::cudaGraphNode_t>(differs), nullptr};
    return status;
}

Status GraphGetEdges(GraphTag *graph, NodeTag **from, NodeTag **to, c::cudaGraphEdgeData *edges,
                     std::size_t *count) {
    return graph_edges(graph, from, to, edges, count);
}

Status GraphNodeGetDependencies(NodeTag *node, NodeTag **others, c::cudaGraphEdgeData *edges,
                                std::size_t *count) {
    return node_neighbours(node, true, others, edges, count);
}

Status GraphNodeGetDependentNodes(NodeTag *node, NodeTag **others, c::cudaGraphEdgeData *edges,
                                  std::size_t *count) {
    return node_neighbours(node, false, others, edges, count);
}

Status GraphAddDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                            const c::cudaGraphEdgeData *edges, std::size_t count) {
    return change_dependencies(graph, from, to, edges, count, true);
}

Status GraphRemoveDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                               const c::cudaGraphEdgeData *edges, std::size_t count) {
    return change_dependencies(graph, from, to, edges, count, false);
}

Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::cudaKernelNodeParams *kernel) {
    return add_work(node, graph, after, count, launching(kernel));
}

Status GraphKernelNodeSetParams(NodeTag *node, const c::cudaKernelNodeParams *kernel) {
    return set_work(true, nullptr, node, launching(kernel));
}

Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::cudaKernelNodeParams *kernel) {
    return set_work(false, executable, node, launching(kernel));
}

} // namespace pygpu::host::cuda
