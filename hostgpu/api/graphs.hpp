// The functions on captures and graphs; api.hpp has the others. Edges are all zeros: ports aren't supported.
#pragma once

#include "base/status.hpp"
#include "base/types.hpp"
#include "streams/capture.hpp"

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

Status GraphAddEventRecordNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                               EventTag *event);
Status GraphAddEventWaitNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                             EventTag *event);
// The address is an output.
Status GraphAddMemAllocNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            AllocationNode *allocation);
Status GraphAddMemFreeNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                           void *address);
// The graph itself becomes the node's, instead of a copy.
Status move_child_graph(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                        GraphTag *child);

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

Status GraphEventRecordNodeSetEvent(NodeTag *node, EventTag *event);
Status GraphEventWaitNodeSetEvent(NodeTag *node, EventTag *event);
Status GraphExecEventRecordNodeSetEvent(ExecutableTag *executable, NodeTag *node, EventTag *event);
Status GraphExecEventWaitNodeSetEvent(ExecutableTag *executable, NodeTag *node, EventTag *event);
Status set_event(bool in_graph, ExecutableTag *executable, NodeTag *node, Task task, EventTag *event);
Status GraphExecChildGraphNodeSetParams(ExecutableTag *executable, NodeTag *node, GraphTag *child);
// In the graph where `executable` is null.
Status set_child_graph(ExecutableTag *executable, NodeTag *node, GraphTag *child);
Status GraphKernelNodeSetAttribute(NodeTag *node, int attribute, const AttributeValue *value);
Status GraphKernelNodeCopyAttributes(NodeTag *to, NodeTag *from);
Status GraphNodeSetEnabled(ExecutableTag *executable, NodeTag *node, unsigned enabled);

// Asking what nodes do
Status GraphHostNodeGetParams(NodeTag *node, HostCall *call);
Status GraphMemcpyNodeGetParams(NodeTag *node, Copy3D *copy);
Status GraphMemsetNodeGetParams(NodeTag *node, MemsetNode *set);
Status GraphEventRecordNodeGetEvent(NodeTag *node, EventTag **event);
Status GraphEventWaitNodeGetEvent(NodeTag *node, EventTag **event);
Status GraphChildGraphNodeGetGraph(NodeTag *node, GraphTag **child);
Status GraphMemAllocNodeGetParams(NodeTag *node, AllocationNode *allocation);
Status GraphAddExternalSemaphoresSignalNode(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                                            std::size_t count, const void *parameters);
Status GraphAddExternalSemaphoresWaitNode(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                                          std::size_t count, const void *parameters);
Status GraphExternalSemaphoresSignalNodeGetParams(NodeTag *node, void *parameters);
Status GraphExternalSemaphoresSignalNodeSetParams(NodeTag *node, const void *parameters);
Status GraphExternalSemaphoresWaitNodeGetParams(NodeTag *node, void *parameters);
Status GraphExternalSemaphoresWaitNodeSetParams(NodeTag *node, const void *parameters);
Status GraphExecExternalSemaphoresSignalNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                                      const void *parameters);
Status GraphExecExternalSemaphoresWaitNodeSetParams(ExecutableTag *executable, NodeTag *node,
                                                    const void *parameters);
Status GraphMemFreeNodeGetParams(NodeTag *node, void *address); // writes the address there
Status GraphKernelNodeGetAttribute(NodeTag *node, int attribute, AttributeValue *value);
Status GraphNodeGetEnabled(ExecutableTag *executable, NodeTag *node, unsigned *enabled);
Status get_conditional(NodeTag *node, ConditionalNode &parameters);

// Names, and a picture
Status GraphNodeFindInClone(NodeTag **node, NodeTag *original, GraphTag *clone);
Status GraphGetId(GraphTag *graph, unsigned *id);
Status GraphExecGetId(ExecutableTag *executable, unsigned *id);
Status GraphNodeGetLocalId(NodeTag *node, unsigned *id);
Status GraphNodeGetToolsId(NodeTag *node, unsigned long long *id);
Status GraphDebugDotPrint(GraphTag *graph, const char *path, unsigned flags);

// Variables of compiled programs, and nodes that copy to and from them
Status MemcpyToSymbol(const void *symbol, const void *from, std::size_t count, std::size_t offset, int kind);
Status MemcpyToSymbolAsync(const void *symbol, const void *from, std::size_t count, std::size_t offset,
                           int kind, StreamTag *stream);
Status MemcpyFromSymbol(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind);
Status MemcpyFromSymbolAsync(void *to, const void *symbol, std::size_t count, std::size_t offset, int kind,
                             StreamTag *stream);
Status GetSymbolAddress(void **pointer, const void *symbol);
Status GetSymbolSize(std::size_t *size, const void *symbol);
Status GraphAddMemcpyNodeToSymbol(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t number,
                                  const void *symbol, const void *from, std::size_t count, std::size_t offset,
                                  int kind);
Status GraphAddMemcpyNodeFromSymbol(NodeTag **node, GraphTag *graph, NodeTag *const *after,
                                    std::size_t number, void *to, const void *symbol, std::size_t count,
                                    std::size_t offset, int kind);
Status GraphMemcpyNodeSetParamsToSymbol(NodeTag *node, const void *symbol, const void *from,
                                        std::size_t count, std::size_t offset, int kind);
Status GraphMemcpyNodeSetParamsFromSymbol(NodeTag *node, void *to, const void *symbol, std::size_t count,
                                          std::size_t offset, int kind);
Status GraphExecMemcpyNodeSetParamsToSymbol(ExecutableTag *executable, NodeTag *node, const void *symbol,
                                            const void *from, std::size_t count, std::size_t offset,
                                            int kind);
Status GraphExecMemcpyNodeSetParamsFromSymbol(ExecutableTag *executable, NodeTag *node, void *to,
                                              const void *symbol, std::size_t count, std::size_t offset,
                                              int kind);

// The memory of a device's graphs
Status DeviceGetGraphMemAttribute(int device, int attribute, void *value);
Status DeviceSetGraphMemAttribute(int device, int attribute, void *value);
Status DeviceGraphMemTrim(int device);

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
