// Executable graphs: what a launch of a graph runs.
#pragma once

#include "streams/graph.hpp"
#include "streams/node_parameters.hpp"

#include <functional>

namespace pygpu::host {

// A snapshot of a graph, with its nodes in an order that their dependencies allow. Immutable.
struct Plan {
    // The bodies of a conditional node.
    struct Branches {
        std::shared_ptr<Condition> condition;
        Conditional::Type type;
        std::vector<std::shared_ptr<const Plan>> bodies;

        void run() const;

    private:
        void run_loop() const;
    };
    struct Step {
        const void *node; // its handle
        std::shared_ptr<Work> work;
        std::vector<std::weak_ptr<Allocation>> uses;
        std::vector<std::size_t> after;           // the steps that it depends on, as the edges were added
        std::size_t added;                        // its place in the order of addition
        std::shared_ptr<const Branches> branches; // null unless the node is conditional
        int device = 0;                           // that the node was made for
        bool enabled = true;
    };
    std::vector<Step> steps;
    std::vector<std::shared_ptr<Condition>> conditions; // those made for the graph
    Kept kept;
    bool user = false;        // a user's function is among the steps
    bool fits_body = true;    // all of them may be in a body of a conditional node
    bool conditional = false; // a conditional node is among them
    bool memory = false;      // nodes that allocate or free memory are among them
    bool prepared = false;    // there are such nodes, or events' nodes: each launch prepares them
    unsigned depth = 1;

    void run() const;    // as a launch does
    void assign() const; // gives the conditions their first values
    void run_steps() const;
    void note(const Step &step); // counts a step in what is known of all
};

// A copy of a plan with a node's step changed by change(step), wherever in it the node is. Null where it
// isn't, or where change() returns false.
std::shared_ptr<Plan> changed(const Plan &plan, const void *node,
                              const std::function<bool(Plan::Step &step)> &change);
// The step of a node; null where there is none.
const Plan::Step *step_of(const Plan &plan, const void *node);

// Why a graph can't be executed.
enum class Flaw { none, circle, unused_condition, forbidden };

// The nodes' places in an order that their dependencies allow, without those after a circle. Lock held.
std::vector<std::size_t> order_of(const Graph &graph);

// Null, with the reason and one of the nodes, where the graph can't be executed. Lock held.
std::shared_ptr<Plan> plan_of(const Graph &graph, Flaw &flaw, const void *&node);

// A graph with the same nodes. Lock held.
std::shared_ptr<Graph> graph_of(const Plan &plan);

// Work that runs a plan. Null, with a report, if memory that it uses was freed.
std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan);

// The same without looking at the memory: a child graph as a piece of its parent.
std::unique_ptr<Work> work_of_child(const std::shared_ptr<const Plan> &plan);

// How a plan differs from one that it shall replace, numbered as both APIs number the results of an update.
struct Difference {
    enum What { none, error, topology, type, function, parameters, not_supported } what = none;
    const void *node = nullptr, *from = nullptr; // handles of the new plan's nodes
};

// Whether what a node works on may change so.
using MayChange = bool (*)(Task task, const Operands &before, const Operands &after);

// Pairs the steps of both plans: `pairs` has the place of each new step among the old ones. The nodes that
// nothing depends on are paired as they were added, then those before them in the order of their edges.
Difference difference(const Plan &before, const Plan &after, MayChange may_change,
                      std::vector<std::size_t> &pairs);

// A copy of the new plan, equal in shape, whose nodes have the handles of the old one's, and are enabled as
// those are: the handles are of the graph that the executable one was made from.
std::shared_ptr<Plan> in_place_of(const Plan &before, const Plan &after);

struct Executable {
    const unsigned number = Graph::next_number();
    std::mutex mutex;
    std::shared_ptr<const Plan> plan;
    Point last; // the last launch: two launches never run at once
    unsigned long long flags = 0;
};

Handles<Executable> &executables();

} // namespace pygpu::host
