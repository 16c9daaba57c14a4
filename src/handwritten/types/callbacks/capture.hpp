// Callables that go into a graph, by capture or with a node, live as long as the graph.
#pragma once

#include "binding/function_record.hpp"
#include "types/callbacks/registry.hpp"

namespace pygpu {

// The graph that a stream is capturing into, or null. `per_thread` says that stream 0 is the per-thread
// stream. Needs the GIL, and releases it meanwhile.
void *captured_graph(const Api &api, const void *stream, bool per_thread);
// The same for the function that is about to be called.
void *captured_graph(const FunctionRecord &record, const void *stream);

// The graph that a node belongs to; null where the library doesn't say.
void *graph_of_node(Api &api, void *node);

// Gives one hold on the token to a graph's owner, if it has one, else to the graph itself, which shares it
// with its copies and its executable graphs. Once the last of them is destroyed, the next call releases the
// hold. If the library has no user objects, the token is never released.
void keep_by_graph(Api &api, void *graph, Token token);

// From now on what a graph needs is kept for its owner, not by the graph: each launch of a graph that keeps
// something by itself takes longer (on an H200 5.1 us instead of 1.4).
void own_graph(void *graph);
// Ends that, and returns what was kept, a list of Bound. Null with an exception set.
PyObject *take_owned(void *graph);
// Makes the graph keep it, too.
void keep_all_by_graph(Api &api, void *graph, PyObject *list);

} // namespace pygpu
