// Nodes for semaphores of other APIs. No semaphore can be imported, so no node can be made: the functions say
// what is wrong with their arguments.
#include "api/nodes.hpp"

namespace pygpu::host::api {
namespace {

// What all APIs describe such a node with.
struct SemaphoreNode {
    void *const *semaphores;
    const void *parameters;
    unsigned count;
};

// HIP knows no invalid handle here.
Status check_semaphores(const void *parameters) {
    const auto *const given = static_cast<const SemaphoreNode *>(parameters);
    if (!given || !given->semaphores || !given->parameters || !given->count) return Status::invalid_value;
    return on_hip() ? Status::invalid_value : Status::invalid_resource_handle;
}

Status add(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
           const void *parameters) {
    const auto to = find_graph(graph);
    Nodes dependencies;
    if (!node || !to || !find_nodes(*to, after, count, dependencies)) return Status::invalid_value;
    return check_semaphores(parameters);
}

} // namespace

Status GraphAddExternalSemaphoresSignalNode(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                                            std::size_t count, const void *parameters) {
    return add(node, graph, after, count, parameters);
}
Status GraphAddExternalSemaphoresWaitNode(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                                          std::size_t count, const void *parameters) {
    return add(node, graph, after, count, parameters);
}

// No node is of these kinds, whatever it is.
Status GraphExternalSemaphoresSignalNodeGetParams(NodeTag *, void *) { return Status::invalid_value; }
Status GraphExternalSemaphoresSignalNodeSetParams(NodeTag *, const void *) { return Status::invalid_value; }
Status GraphExternalSemaphoresWaitNodeGetParams(NodeTag *, void *) { return Status::invalid_value; }
Status GraphExternalSemaphoresWaitNodeSetParams(NodeTag *, const void *) { return Status::invalid_value; }
Status GraphExecExternalSemaphoresSignalNodeSetParams(ExecutableTag *, NodeTag *, const void *) {
    return Status::invalid_value;
}
Status GraphExecExternalSemaphoresWaitNodeSetParams(ExecutableTag *, NodeTag *, const void *) {
    return Status::invalid_value;
}

} // namespace pygpu::host::api
