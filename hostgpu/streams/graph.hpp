// Graphs: nodes of work with dependencies. plan.hpp has what executable graphs run.
#pragma once

#include "base/handles.hpp"
#include "base/status.hpp"
#include "streams/condition.hpp"
#include "streams/stream.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pygpu::host {

struct Graph;
struct Executable;

// What a conditional node has: one of the bodies runs, or none.
struct Conditional {
    enum Type { if_, while_, switch_ }; // numbered as in C

    std::shared_ptr<Condition> condition;
    Type type = if_;
    std::vector<std::shared_ptr<Graph>> bodies{};
    std::vector<void *> handles{}; // of the bodies: C keeps the array's address
};

struct Node {
    Task task = Task::empty;
    std::shared_ptr<Work> work;
    std::vector<std::weak_ptr<Allocation>> uses{}; // the memory that the work uses
    std::vector<Node *> after{};                   // of the same graph
    std::unique_ptr<Conditional> conditional{};    // null for all other nodes
    std::shared_ptr<Graph> child{};                // what a child graph's node runs, null for all others
    Graph *graph = nullptr;                        // null once the graph is gone
    void *handle = nullptr;
    const void *original = nullptr; // the handle of the node that it is a copy of
    int device = 0;                 // that it was made for
    unsigned number = 0;            // in its graph
};
using Nodes = std::vector<std::shared_ptr<Node>>;

// A user's object that graphs keep. `destroy` is called once nobody keeps it any more, so the last reference
// must not be released with graphs_mutex() held.
class UserObject {
public:
    explicit UserObject(void *value) : value_(value) {}
    ~UserObject();
    UserObject(const UserObject &) = delete;
    UserObject &operator=(const UserObject &) = delete;

    void *handle = nullptr;
    void (*destroy)(void *) = nullptr; // set once nothing can fail any more

private:
    void *value_;
};
using Kept = std::map<std::shared_ptr<UserObject>, std::uint64_t>; // the number of references to each

// What a user object's handle stands for. `own` keeps the object while the caller has `count` references.
struct UserObjectSlot {
    std::weak_ptr<UserObject> object{};
    std::shared_ptr<UserObject> own{};
    std::uint64_t count = 0;
};

struct Graph {
    Nodes nodes; // in the order in which they were added
    Kept kept;
    std::vector<std::shared_ptr<Condition>> conditions; // that were made for it
    int captures = 0;                                   // how many captures add to it now
    void *handle = nullptr;
    const void *original = nullptr;       // the handle of the graph that it is a clone of
    std::weak_ptr<Executable> instance{}; // the last that was made of it
    const unsigned number;                // no other graph or executable one has it
    unsigned next_node = 0;
    unsigned level = 0;   // in how many nodes it lies
    bool in_body = false; // one of them is a conditional one

    Graph() : number(next_number()) {}
    static unsigned next_number();
};

// Guards graphs, nodes, user objects' slots, and captures (capture.hpp). With it held, nothing may be waited
// for and no function of the user's may be called. Handles' locks may be taken inside it.
std::mutex &graphs_mutex();

Handles<Graph> &graphs();
Handles<Node> &nodes();
Handles<UserObjectSlot> &user_objects();

std::shared_ptr<Graph> make_graph();

// A copy. Bodies of conditional nodes can't be copied. Lock held.
std::shared_ptr<Graph> copy_of(const Graph &graph);

// The graphs in a node: a conditional node's bodies, or a child graph.
template <class Body> void each_inner(const Node &node, Body body) {
    if (node.child) body(*node.child);
    if (!node.conditional) return;
    for (const std::shared_ptr<Graph> &one : node.conditional->bodies) body(*one);
}

// How deeply graphs are nested, 1 for one without any. Lock held.
unsigned depth_of(const Graph &graph);

// Whether graphs so deep may become a node's: planning, running and destroying them takes a thread's stack,
// which may be small. All that adds such nodes asks. Lock held.
constexpr unsigned most_nested = 100;
bool can_hold(const Graph &outer, unsigned depth);

// Whether nodes allocate or free memory. Lock held.
bool has_memory_nodes(const Graph &graph);

// Takes a graph and the bodies in it out of the tables; its nodes are released with the last reference to it.
// Lock held.
void retire(Graph &graph);
void retire(Node &node);

// Whether a capture adds to the graph or to a body in it. Lock held.
bool is_captured(const Graph &graph);

// Adds a node. Lock held.
std::shared_ptr<Node> add_node(Graph &graph, std::unique_ptr<Work> work, const Nodes &after, int device);

// Adds a node that runs a graph, which belongs to it from now on. Lock held.
std::shared_ptr<Node> add_child(Graph &graph, std::shared_ptr<Graph> child, const Nodes &after, int device);

// Adds a conditional node with empty bodies. Lock held.
std::shared_ptr<Node> add_conditional(Graph &graph, std::shared_ptr<Condition> condition,
                                      Conditional::Type type, unsigned bodies, const Nodes &after);

} // namespace pygpu::host
