// Callables that go into a graph, by capture or with a node, live as long as the graph.
#pragma once

#include "binding/function_record.hpp"
#include "types/callbacks/registry.hpp"

namespace pygpu {

// The graph that a stream is capturing into, or null; `per_thread` says whose stream 0 is. With the GIL,
// which is released meanwhile.
void *captured_graph(const Api &api, const void *stream, bool per_thread);
// The same for the function that is about to be called.
void *captured_graph(const FunctionRecord &record, const void *stream);

// The graph that a node belongs to; null where the library can't tell.
void *graph_of_node(Api &api, void *node);

// Gives one hold on the token to a graph, its copies and its executable forms; when the last of them goes,
// it is forgotten with the next call. Where the library can't, the token is kept for ever.
void keep_by_graph(Api &api, void *graph, Token token);

} // namespace pygpu
