// The functions on captures and graphs; api.hpp has the others. Edges are all zeros: ports aren't supported.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "streams/capture.hpp"

namespace pygpu::host {

struct HostCall {
    void (*function)(void *);
    void *data;
};

struct MemsetNode {
    void *to;
    std::size_t pitch;
    unsigned value, element;
    std::size_t width, height; // in elements
};

} // namespace pygpu::host

namespace pygpu::host::api {

// Captures
Status StreamBeginCapture(StreamTag *stream, int mode);
Status StreamBeginCaptureToGraph(StreamTag *stream, GraphTag *graph, NodeTag *const *after,
                                 const GraphEdge *edges, std::size_t count, int mode);
Status StreamEndCapture(StreamTag *stream, GraphTag **graph);
Status StreamGetCaptureInfo(StreamTag *stream, int *status, unsigned long long *id, GraphTag **graph,
                            NodeTag *const **nodes, const GraphEdge **edges, std::size_t *count);
Status StreamUpdateCaptureDependencies(StreamTag *stream, NodeTag *const *nodes, const GraphEdge *edges,
                                       std::size_t count, unsigned flags);

// Graphs
Status GraphCreate(GraphTag **graph, unsigned flags);
Status GraphDestroy(GraphTag *graph);
Status GraphClone(GraphTag **clone, GraphTag *graph);
Status GraphGetNodes(GraphTag *graph, NodeTag **nodes, std::size_t *count);
Status GraphGetRootNodes(GraphTag *graph, NodeTag **nodes, std::size_t *count);
Status GraphGetEdges(GraphTag *graph, NodeTag **from, NodeTag **to, GraphEdge *edges, std::size_t *count);
Status GraphNodeGetDependencies(NodeTag *node, NodeTag **others, GraphEdge *edges, std::size_t *count);
Status GraphNodeGetDependentNodes(NodeTag *node, NodeTag **others, GraphEdge *edges, std::size_t *count);
Status GraphNodeGetType(NodeTag *node, int *type);
Status GraphNodeGetContainingGraph(NodeTag *node, GraphTag **graph);
Status GraphDestroyNode(NodeTag *node);
Status GraphAddDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to, const GraphEdge *edges,
                            std::size_t count);
Status GraphRemoveDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                               const GraphEdge *edges, std::size_t count);

// Nodes
Status GraphAddEmptyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count);
Status GraphAddHostNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                        const HostCall *call);
Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Copy3D *copy);
Status GraphAddChildGraphNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              GraphTag *child);
Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const MemsetNode *set);
Status GraphAddMemcpyNode1D(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            void *to, const void *from, std::size_t size, int kind);

// Conditional nodes. `bodies` is an output.
struct ConditionalNode {
    unsigned long long handle;
    int type;
    unsigned size;
    GraphTag **bodies;
};
Status make_condition_handle(unsigned long long *handle, GraphTag *graph, unsigned first, unsigned flags);
Status add_conditional_node(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            ConditionalNode &parameters);

// Changing what nodes do: in the graph, and in executable graphs made from it
Status GraphHostNodeSetParams(NodeTag *node, const HostCall *call);
Status GraphMemcpyNodeSetParams1D(NodeTag *node, void *to, const void *from, std::size_t size, int kind);
Status GraphMemcpyNodeSetParams(NodeTag *node, const Copy3D *copy);
Status GraphMemsetNodeSetParams(NodeTag *node, const MemsetNode *set);
Status GraphExecHostNodeSetParams(ExecutableTag *executable, NodeTag *node, const HostCall *call);
Status GraphExecMemcpyNodeSetParams1D(ExecutableTag *executable, NodeTag *node, void *to, const void *from,
                                      std::size_t size, int kind);
Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const Copy3D *copy);
Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node, const MemsetNode *set);

// Executable graphs
Status GraphInstantiateWithFlags(ExecutableTag **executable, GraphTag *graph, unsigned long long flags);
// Also returns the result of the instantiation, which both APIs number alike, and the node that is wrong.
Status instantiate(ExecutableTag **executable, GraphTag *graph, unsigned long long flags, int &result,
                   NodeTag *&failed);
Status instantiate_and_upload(ExecutableTag **executable, GraphTag *graph, unsigned long long flags,
                              StreamTag *stream, int &result, NodeTag *&failed);
Status GraphExecDestroy(ExecutableTag *executable);
Status GraphExecGetFlags(ExecutableTag *executable, unsigned long long *flags);
Status GraphLaunch(ExecutableTag *executable, StreamTag *stream);
Status GraphUpload(ExecutableTag *executable, StreamTag *stream);
// `what` has the numbers of both APIs.
struct UpdateResult {
    int what;
    NodeTag *node, *from;
};
Status update_executable(ExecutableTag *executable, GraphTag *graph, UpdateResult &result);

// User objects, which graphs keep
Status UserObjectCreate(UserObjectTag **object, void *value, void (*destroy)(void *), unsigned count,
                        unsigned flags);
Status UserObjectRetain(UserObjectTag *object, unsigned count);
Status UserObjectRelease(UserObjectTag *object, unsigned count);
Status GraphRetainUserObject(GraphTag *graph, UserObjectTag *object, unsigned count, unsigned flags);
Status GraphReleaseUserObject(GraphTag *graph, UserObjectTag *object, unsigned count);

} // namespace pygpu::host::api
