// Building graphs.
#include "streams/graph.hpp"

#include "base/thread.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_map>

namespace pygpu::host {

UserObject::~UserObject() {
    user_objects().remove(handle);
    if (!destroy) return;
    bool &in_callback = thread().in_callback;
    const bool before = in_callback;
    in_callback = true; // the user's function may not call the runtime
    destroy(value_);
    in_callback = before;
}

std::mutex &graphs_mutex() {
    static auto *mutex = new std::mutex;
    return *mutex;
}

Handles<Graph> &graphs() {
    static auto *handles = new Handles<Graph>;
    return *handles;
}

Handles<Node> &nodes() {
    static auto *handles = new Handles<Node>;
    return *handles;
}

Handles<UserObjectSlot> &user_objects() {
    static auto *handles = new Handles<UserObjectSlot>;
    return *handles;
}

std::shared_ptr<Graph> make_graph() {
    auto graph = std::make_shared<Graph>();
    graph->handle = graphs().add(graph);
    return graph;
}

void retire(Graph &graph) {
    graphs().remove(graph.handle);
    for (const std::shared_ptr<Node> &node : graph.nodes) retire(*node);
}

void retire(Node &node) {
    nodes().remove(node.handle);
    node.graph = nullptr;
    if (node.conditional) node.conditional->condition->used = false;
    each_inner(node, [](Graph &inner) { retire(inner); });
}

bool is_captured(const Graph &graph) {
    return graph.captures || std::ranges::any_of(graph.nodes, [](const std::shared_ptr<Node> &node) {
               bool any = false;
               each_inner(*node, [&](const Graph &inner) { any = any || is_captured(inner); });
               return any;
           });
}

unsigned Graph::next_number() {
    static std::atomic<unsigned> last{0};
    return ++last;
}

unsigned depth_of(const Graph &graph) {
    unsigned deepest = 0;
    for (const std::shared_ptr<Node> &node : graph.nodes)
        each_inner(*node, [&](const Graph &inner) { deepest = std::max(deepest, depth_of(inner)); });
    return deepest + 1;
}

bool can_hold(const Graph &outer, unsigned depth) { return outer.level + 1 + depth <= most_nested; }

bool has_memory_nodes(const Graph &graph) {
    return std::ranges::any_of(graph.nodes, [](const std::shared_ptr<Node> &node) {
        bool any = node->task == Task::allocation || node->task == Task::release;
        each_inner(*node, [&](const Graph &inner) { any = any || has_memory_nodes(inner); });
        return any;
    });
}

namespace {

// A graph lies in a node of another one.
void place_in(const Graph &outer, bool body, Graph &inner) {
    inner.level = outer.level + 1;
    inner.in_body = outer.in_body || body;
    for (const std::shared_ptr<Node> &node : inner.nodes) {
        each_inner(*node, [&](Graph &one) { place_in(inner, node->conditional != nullptr, one); });
    }
}

} // namespace

std::shared_ptr<Graph> copy_of(const Graph &graph) {
    const auto copied = make_graph();
    copied->original = graph.handle;
    copied->kept = graph.kept;
    std::unordered_map<const Node *, Node *> copies;
    for (const std::shared_ptr<Node> &node : graph.nodes) {
        const auto copy = node->child ? add_child(*copied, copy_of(*node->child), {}, node->device)
                                      : add_node(*copied, nullptr, {}, node->device);
        copy->task = node->task;
        copy->work = node->work;
        copy->uses = node->uses;
        copy->original = node->handle;
        copies[node.get()] = copy.get();
    }
    for (const std::shared_ptr<Node> &node : graph.nodes) {
        for (const Node *one : node->after) copies[node.get()]->after.push_back(copies[one]);
    }
    return copied;
}

std::shared_ptr<Node> add_node(Graph &graph, std::unique_ptr<Work> work, const Nodes &after, int device) {
    auto created = std::make_shared<Node>();
    if (work) {
        created->task = work->task;
        created->uses.assign(work->uses.begin(), work->uses.end());
        work->release(); // freeing the memory is no misuse while no launch is queued
        work->after.clear();
        created->work = std::move(work);
    }
    for (const std::shared_ptr<Node> &node : after) created->after.push_back(node.get());
    created->graph = &graph;
    created->device = device;
    created->number = graph.next_node++;
    created->handle = nodes().add(created);
    try {
        graph.nodes.push_back(created);
    } catch (...) {
        nodes().remove(created->handle);
        throw;
    }
    return created;
}

std::shared_ptr<Node> add_child(Graph &graph, std::shared_ptr<Graph> child, const Nodes &after, int device) {
    std::shared_ptr<Node> node;
    try {
        node = add_node(graph, make_work([] {}, Task::graph), after, device);
    } catch (...) {
        retire(*child);
        throw;
    }
    place_in(graph, false, *child);
    node->child = std::move(child);
    return node;
}

std::shared_ptr<Node> add_conditional(Graph &graph, std::shared_ptr<Condition> condition,
                                      Conditional::Type type, unsigned bodies, const Nodes &after) {
    auto conditional = std::make_unique<Conditional>();
    conditional->type = type;
    std::shared_ptr<Node> node;
    try {
        for (unsigned index = 0; index < bodies; ++index) {
            conditional->bodies.push_back(std::make_shared<Graph>());
            Graph &body = *conditional->bodies.back();
            body.level = graph.level + 1;
            body.in_body = true;
            body.handle = graphs().add(conditional->bodies.back());
            conditional->handles.push_back(body.handle);
        }
        node = add_node(graph, make_work([] {}, Task::conditional), after, 0);
    } catch (...) {
        for (const std::shared_ptr<Graph> &body : conditional->bodies) graphs().remove(body->handle);
        throw;
    }
    condition->used = true;
    conditional->condition = std::move(condition);
    node->conditional = std::move(conditional);
    return node;
}

} // namespace pygpu::host
