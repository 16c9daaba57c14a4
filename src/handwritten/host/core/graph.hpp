// Graphs: nodes of work with dependencies, and the executable graphs made of them.
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
    Graph *graph = nullptr;                        // null once the graph is gone
    void *handle = nullptr;
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
using Kept = std::map<std::shared_ptr<UserObject>, unsigned>; // the number of references of each

// What a user object's handle stands for. `own` keeps the object while the caller has `count` references.
struct UserObjectSlot {
    std::weak_ptr<UserObject> object{};
    std::shared_ptr<UserObject> own{};
    unsigned count = 0;
};

struct Graph {
    Nodes nodes; // in the order in which they were added
    Kept kept;
    int captures = 0; // how many captures add to it now
    void *handle = nullptr;
};

// Guards graphs, nodes, user objects' slots, and captures (capture.hpp). With it held, nothing may be waited
// for and no function of the user's may be called. Handles' locks may be taken inside it.
std::mutex &graphs_mutex();

Handles<Graph> &graphs();
Handles<Node> &nodes();
Handles<UserObjectSlot> &user_objects();

std::shared_ptr<Graph> make_graph();

// Takes a graph out of the tables; its nodes are released with the last reference to it. Lock held.
void retire(Graph &graph);

// Adds a node. Lock held.
std::shared_ptr<Node> add_node(Graph &graph, std::unique_ptr<Work> work, const Nodes &after);

// Whether one node leads to another. Lock held.
bool leads_to(const Node &from, const Node &to);

// What a launch runs: a snapshot of a graph, with its nodes in an order that their dependencies allow.
// Immutable.
struct Plan {
    struct Step {
        const void *node; // its handle
        std::shared_ptr<Work> work;
        std::vector<std::weak_ptr<Allocation>> uses;
    };
    std::vector<Step> steps; // the same order for all graphs of one shape
    Kept kept;
    // Of each node, in the order of addition: its task and the nodes that it depends on. An update compares
    // these.
    std::vector<std::pair<Task, std::vector<std::size_t>>> shape;
    bool user = false; // a user's function is among the steps
    unsigned depth = 1;

    void run() const;
};

// Null where dependencies go in a circle. Lock held.
std::shared_ptr<Plan> plan_of(const Graph &graph);

// Work that runs a plan. Null, with a report, if memory that it uses was freed, or if graphs are nested so
// deeply that a thread's stack might overflow.
std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan);

struct Executable {
    std::mutex mutex;
    std::shared_ptr<const Plan> plan;
    Point last; // the last launch: two launches never run at once
    unsigned long long flags = 0;
};

Handles<Executable> &executables();

// Queues a launch on a stream.
Status launch(Executable &executable, Stream &stream);

} // namespace pygpu::host
