// Executable graphs: what a launch of a graph runs.
#pragma once

#include "streams/graph.hpp"

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
    };
    std::vector<Step> steps;
    std::vector<std::shared_ptr<Condition>> conditions; // those made for the graph
    Kept kept;
    bool user = false;        // a user's function is among the steps
    bool fits_body = true;    // all of them may be in a body of a conditional node
    bool conditional = false; // a conditional node is among them
    unsigned depth = 1;

    void run() const;    // as a launch does
    void assign() const; // gives the conditions their first values
    void run_steps() const;
};

// Why a graph can't be executed.
enum class Flaw { none, circle, unused_condition, forbidden };

// The nodes' places in an order that their dependencies allow, without those after a circle. Lock held.
std::vector<std::size_t> order_of(const Graph &graph);

// Null, with the reason and one of the nodes, where the graph can't be executed. Lock held.
std::shared_ptr<Plan> plan_of(const Graph &graph, Flaw &flaw, const void *&node);

// Work that runs a plan. Null, with a report, if memory that it uses was freed, or if graphs are nested so
// deeply that a thread's stack might overflow.
std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan);

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
