// Building graphs.
#include "streams/graph.hpp"

#include "base/thread.hpp"

#include <algorithm>

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
    if (!node.conditional) return;
    node.conditional->condition->used = false;
    for (const std::shared_ptr<Graph> &body : node.conditional->bodies) retire(*body);
}

bool is_captured(const Graph &graph) {
    return graph.captures || std::ranges::any_of(graph.nodes, [](const std::shared_ptr<Node> &node) {
               return node->conditional &&
                      std::ranges::any_of(node->conditional->bodies,
                                          [](const auto &one) { return is_captured(*one); });
           });
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
    created->handle = nodes().add(created);
    try {
        graph.nodes.push_back(created);
    } catch (...) {
        nodes().remove(created->handle);
        throw;
    }
    return created;
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
