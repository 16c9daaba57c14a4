// HIP's own forms of the functions on captures and graphs.
#include "host/hip/implemented.hpp"

#include "hip_runtime/enumerators.hpp"
#include "host/api/nodes.hpp"
#include "host/hip/translate.hpp"

namespace pygpu::host::hip {

Status StreamGetCaptureInfo(StreamTag *stream, int *status, unsigned long long *id) {
    return capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

Status StreamGetCaptureInfo_v2(StreamTag *stream, int *status, unsigned long long *id, GraphTag **graph,
                               NodeTag *const **nodes, std::size_t *count) {
    return capture_info(stream, status, id, graph, nodes, nullptr, count);
}

Status StreamUpdateCaptureDependencies(StreamTag *stream, NodeTag **nodes, std::size_t count,
                                       unsigned flags) {
    return update_capture_dependencies(stream, nodes, count, nullptr, flags);
}

Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const c::hipGraphEdgeData *edges, std::size_t count, int mode) {
    return begin_capture_to_graph(stream, graph, after, count, edges, mode);
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
    const Status status = GraphInstantiateWithFlags(executable, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out =
        status == Status::success ? c::hipGraphInstantiateSuccess : c::hipGraphInstantiateError;
    return status;
}

Status GraphExecUpdate(ExecutableTag *executable, GraphTag *graph, NodeTag **differs, int *result) {
    if (!differs || !result) return Status::invalid_value;
    return update_executable(executable, graph, differs, result);
}

Status GraphGetEdges(GraphTag *graph, NodeTag **from, NodeTag **to, std::size_t *count) {
    return graph_edges(graph, from, to, nullptr, count);
}

Status GraphNodeGetDependencies(NodeTag *node, NodeTag **others, std::size_t *count) {
    return node_neighbours(node, true, others, nullptr, count);
}

Status GraphNodeGetDependentNodes(NodeTag *node, NodeTag **others, std::size_t *count) {
    return node_neighbours(node, false, others, nullptr, count);
}

Status GraphAddDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to, std::size_t count) {
    return change_dependencies(graph, from, to, nullptr, count, true);
}

Status GraphRemoveDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to, std::size_t count) {
    return change_dependencies(graph, from, to, nullptr, count, false);
}

Status GraphAddKernelNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::hipKernelNodeParams *kernel) {
    return add_work(node, graph, after, count, launching(kernel));
}

Status GraphKernelNodeSetParams(NodeTag *node, const c::hipKernelNodeParams *kernel) {
    return set_work(true, nullptr, node, launching(kernel));
}

Status GraphExecKernelNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::hipKernelNodeParams *kernel) {
    return set_work(false, executable, node, launching(kernel));
}

namespace {

MemsetNode shared_form(const c::hipMemsetParams &given) {
    return {given.dst, given.pitch, given.value, given.elementSize, given.width, given.height};
}

} // namespace

Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const c::hipMemsetParams *given) {
    if (!given) return Status::invalid_value;
    const MemsetNode set = shared_form(*given);
    return api::GraphAddMemsetNode(node, graph, after, count, &set);
}

Status GraphMemsetNodeSetParams(NodeTag *node, const c::hipMemsetParams *given) {
    if (!given) return Status::invalid_value;
    const MemsetNode set = shared_form(*given);
    return api::GraphMemsetNodeSetParams(node, &set);
}

Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                    const c::hipMemsetParams *given) {
    if (!given) return Status::invalid_value;
    const MemsetNode set = shared_form(*given);
    return api::GraphExecMemsetNodeSetParams(executable, node, &set);
}

} // namespace pygpu::host::hip
