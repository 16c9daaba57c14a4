// Graphs: nodes of work with dependencies, and what is launched of them.
#pragma once

#include "host/core/handles.hpp"
#include "host/core/status.hpp"
#include "host/core/stream.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace pygpu::host {

struct Graph;

struct Node {
    Task task = Task::empty;
    std::shared_ptr<Work> work;
    std::vector<std::weak_ptr<Allocation>> uses{}; // the memory that the work uses
    std::vector<Node *> after{};                   // of the same graph
    Graph *graph = nullptr;                        // null once that is gone
    void *handle = nullptr;
};
using Nodes = std::vector<std::shared_ptr<Node>>;

// What a graph keeps for its user, who is called when nobody keeps it any more. Must not go with
// graphs_mutex() held.
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
using Kept = std::map<std::shared_ptr<UserObject>, unsigned>; // with how many references

// A user object's handle; the caller's own references are one.
struct UserObjectSlot {
    std::weak_ptr<UserObject> object{};
    std::shared_ptr<UserObject> own{};
    unsigned count = 0;
};

struct Graph {
    Nodes nodes; // in the order in which they were added
    Kept kept;
    int captures = 0; // that add to it now
    void *handle = nullptr;
};

// Guards graphs, nodes, user objects' slots, and captures (capture.hpp). Nothing is waited for and nobody
// called with it held; handles' locks are taken in it.
std::mutex &graphs_mutex();

Handles<Graph> &graphs();
Handles<Node> &nodes();
Handles<UserObjectSlot> &user_objects();

std::shared_ptr<Graph> make_graph();

// Takes a graph out of the tables; what it held goes with the last who holds it. Lock held.
void retire(Graph &graph);

// Adds a node. Lock held.
std::shared_ptr<Node> add_node(Graph &graph, std::unique_ptr<Work> work, const Nodes &after);

// Whether one node leads to another. Lock held.
bool leads_to(const Node &from, const Node &to);

// What a launch runs: a graph as it was, its nodes in an order that they allow. Doesn't change.
struct Plan {
    struct Step {
        const void *node; // its handle
        std::shared_ptr<Work> work;
        std::vector<std::weak_ptr<Allocation>> uses;
    };
    std::vector<Step> steps; // graphs of one shape have them in one order
    Kept kept;
    // Of each node in the order of addition, what it is and after which it comes: what an update compares.
    std::vector<std::pair<Task, std::vector<std::size_t>>> shape;
    bool user = false; // a user's function is among the steps
    unsigned depth = 1;

    void run() const;
};

// Null where dependencies go in a circle. Lock held.
std::shared_ptr<Plan> plan_of(const Graph &graph);

// Work that runs a plan; null, with a report, where memory that it uses was freed, or where graphs are nested
// so deeply that running and ending them would take too much of a thread's stack.
std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan);

struct Executable {
    std::mutex mutex;
    std::shared_ptr<const Plan> plan;
    Point last; // launch: no two of them run at once
    unsigned long long flags = 0;
};

Handles<Executable> &executables();

// Queues a launch on a stream.
Status launch(Executable &executable, Stream &stream);

} // namespace pygpu::host
