// Graphs: making, copying and asking them, and changing their edges.
#include "api/graphs.hpp"

#include "api/find.hpp"
#include "api/nodes.hpp"
#include "base/call.hpp"
#include "memory/misuse.hpp"
#include "streams/plan.hpp"
#include "streams/stream.hpp"

#include <algorithm>

namespace pygpu::host {

std::shared_ptr<Graph> find_graph(GraphTag *handle) {
    std::shared_ptr<Graph> graph = graphs().find(handle);
    if (!graph) report_misuse("not a graph, or one that was destroyed", handle);
    return graph;
}

bool find_nodes(const Graph &graph, NodeTag *const *handles, std::size_t count, Nodes &dependencies) {
    if (count && !handles) return false;
    std::lock_guard lock(graphs_mutex());
    for (std::size_t index = 0; index < count; ++index) {
        std::shared_ptr<Node> node = nodes().find(handles[index]);
        if (!node || node->graph != &graph) return false;
        if (std::ranges::find(dependencies, node) != dependencies.end()) return false;
        dependencies.push_back(std::move(node));
    }
    return true;
}

bool has_ports(const GraphEdge *edges, std::size_t count) {
    const auto *bytes = reinterpret_cast<const char *>(edges);
    return edges && std::any_of(bytes, bytes + count * sizeof(GraphEdge), [](char one) { return one; });
}

bool stays_where_it_is(const Graph &graph) {
    return graph.in_body || has_memory_nodes(graph) ||
           std::ranges::any_of(graph.nodes, [](const auto &node) { return node->conditional != nullptr; });
}

namespace api {
namespace {

NodeTag *tag(const Node *node) { return node ? static_cast<NodeTag *>(node->handle) : nullptr; }

// How all these queries answer: without an array only the number, else as many as fit, and null in the rest
// of the array. store() writes one element.
template <class Item, class Store>
Status copy_out_items(const std::vector<Item> &items, std::size_t *count, bool has_array, Store store) {
    const std::size_t capacity = has_array ? *count : 0;
    for (std::size_t index = 0; index < capacity; ++index)
        store(index, index < items.size() ? items[index] : Item{});
    *count = has_array ? std::min(capacity, items.size()) : items.size();
    return Status::success;
}

Status copy_out_nodes(const std::vector<const Node *> &items, NodeTag **handles, GraphEdge *edges,
                      std::size_t *count) {
    return copy_out_items(items, count, handles != nullptr, [&](std::size_t at, const Node *node) {
        handles[at] = tag(node);
        if (edges) edges[at] = {};
    });
}

Status copy_out_neighbours(NodeTag *node, bool dependencies, NodeTag **others, GraphEdge *edges,
                           std::size_t *count) {
    const auto object = nodes().find(node);
    if (!object || !count) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!object->graph) return Status::invalid_value;
    std::vector<const Node *> items(object->after.begin(), object->after.end());
    if (!dependencies) {
        items.clear();
        for (const auto &one : object->graph->nodes) {
            if (std::ranges::find(one->after, object.get()) != one->after.end()) items.push_back(one.get());
        }
    }
    return copy_out_nodes(items, others, edges, count);
}

Status change_dependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to, const GraphEdge *edges,
                           std::size_t count, bool adds) {
    const auto object = find_graph(graph);
    if (!object || (count && (!from || !to))) return Status::invalid_value;
    if (has_ports(edges, count)) return Status::not_supported;
    std::lock_guard lock(graphs_mutex());
    if (!adds && count && has_memory_nodes(*object)) return Status::not_supported;
    std::vector<std::pair<std::shared_ptr<Node>, std::shared_ptr<Node>>> pairs;
    for (std::size_t index = 0; index < count; ++index) {
        pairs.emplace_back(nodes().find(from[index]), nodes().find(to[index]));
        const auto &[first, second] = pairs.back();
        if (!first || !second || first == second) return Status::invalid_value;
        if (first->graph != object.get() || second->graph != object.get()) return Status::invalid_value;
        const bool there = std::ranges::find(second->after, first.get()) != second->after.end();
        const bool twice = std::ranges::find(pairs.begin(), pairs.end() - 1, pairs.back()) != pairs.end() - 1;
        if (there == adds || twice) return Status::invalid_value;
    }
    for (const auto &[first, second] : pairs) {
        if (adds)
            second->after.push_back(first.get());
        else
            std::erase(second->after, first.get());
    }
    return Status::success; // a circle is found when the graph is instantiated
}

} // namespace

Status GraphCreate(GraphTag **graph, unsigned flags) {
    if (!graph || flags) return Status::invalid_value;
    *graph = static_cast<GraphTag *>(make_graph()->handle);
    return Status::success;
}

Status GraphDestroy(GraphTag *graph) {
    const auto gone = find_graph(graph); // released without the lock
    if (!gone) return graph && on_hip() ? Status::illegal_state : Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (is_captured(*gone) || gone->level) return Status::invalid_value; // it ends with its node
    retire(*gone);
    return Status::success;
}

Status GraphClone(GraphTag **clone, GraphTag *graph) {
    if (!clone) return Status::invalid_value;
    const auto from = find_graph(graph);
    if (!from) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (stays_where_it_is(*from)) return Status::not_supported;
    *clone = static_cast<GraphTag *>(copy_of(*from)->handle);
    return Status::success;
}

// Both must be there still: the manual of cudaGraphNodeFindInClone.
Status GraphNodeFindInClone(NodeTag **node, NodeTag *original, GraphTag *clone) {
    if (!node) return Status::invalid_value;
    const auto wanted = nodes().find(original);
    const auto within = find_graph(clone);
    if (!wanted || !within) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    const auto copy = std::ranges::find(within->nodes, wanted->handle, &Node::original);
    if (copy == within->nodes.end()) return Status::invalid_value;
    *node = tag(copy->get());
    return Status::success;
}

Status GraphGetNodes(GraphTag *graph, NodeTag **handles, std::size_t *count) {
    const auto object = find_graph(graph);
    if (!object || !count) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    // HIP sorts them, which fails for a circle: hipGraphGetNodes() of ROCm/clr.
    if (on_hip() && order_of(*object).size() < object->nodes.size()) return Status::invalid_value;
    std::vector<const Node *> items;
    for (const auto &node : object->nodes) items.push_back(node.get());
    return copy_out_nodes(items, handles, nullptr, count);
}

Status GraphGetRootNodes(GraphTag *graph, NodeTag **handles, std::size_t *count) {
    const auto object = find_graph(graph);
    if (!object || !count) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    std::vector<const Node *> items;
    for (const auto &node : object->nodes) {
        if (node->after.empty()) items.push_back(node.get());
    }
    return copy_out_nodes(items, handles, nullptr, count);
}

Status GraphGetEdges(GraphTag *graph, NodeTag **from, NodeTag **to, GraphEdge *edges, std::size_t *count) {
    const auto object = find_graph(graph);
    if (!object || !count || !from != !to) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    std::vector<std::pair<const Node *, const Node *>> items;
    for (const auto &node : object->nodes) {
        for (const Node *one : node->after) items.emplace_back(one, node.get());
    }
    return copy_out_items(items, count, from != nullptr, [&](std::size_t at, const auto &edge) {
        from[at] = tag(edge.first);
        to[at] = tag(edge.second);
        if (edges) edges[at] = {};
    });
}

Status GraphNodeGetDependencies(NodeTag *node, NodeTag **others, GraphEdge *edges, std::size_t *count) {
    return copy_out_neighbours(node, true, others, edges, count);
}

Status GraphNodeGetDependentNodes(NodeTag *node, NodeTag **others, GraphEdge *edges, std::size_t *count) {
    return copy_out_neighbours(node, false, others, edges, count);
}

Status GraphNodeGetType(NodeTag *node, int *type) {
    const auto object = nodes().find(node);
    if (!object || !type) return Status::invalid_value;
    constexpr int batch_of_hip = 14;
    *type = object->task == Task::batch && on_hip() ? batch_of_hip : static_cast<int>(object->task);
    return Status::success;
}

Status GraphNodeGetContainingGraph(NodeTag *node, GraphTag **graph) {
    const auto object = nodes().find(node);
    if (!object || !graph) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!object->graph) return Status::invalid_value;
    *graph = static_cast<GraphTag *>(object->graph->handle);
    return Status::success;
}

Status GraphDestroyNode(NodeTag *node) {
    const auto gone = nodes().find(node); // released without the lock
    if (!gone) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!gone->graph || gone->graph->captures) return Status::invalid_value;
    bool captured = false;
    each_inner(*gone, [&](const Graph &inner) { captured = captured || is_captured(inner); });
    if (captured) return Status::invalid_value;
    if (has_memory_nodes(*gone->graph)) return Status::not_supported;
    for (const auto &one : gone->graph->nodes) std::erase(one->after, gone.get());
    std::erase(gone->graph->nodes, gone);
    retire(*gone);
    return Status::success;
}

Status GraphAddDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to, const GraphEdge *edges,
                            std::size_t count) {
    return change_dependencies(graph, from, to, edges, count, true);
}

Status GraphRemoveDependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to,
                               const GraphEdge *edges, std::size_t count) {
    return change_dependencies(graph, from, to, edges, count, false);
}

} // namespace api
} // namespace pygpu::host
