// Building graphs, and running them in a stream's order.
#include "host/core/graph.hpp"

#include "host/core/report.hpp"
#include "host/core/thread.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

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

Handles<Executable> &executables() {
    static auto *handles = new Handles<Executable>;
    return *handles;
}

std::shared_ptr<Graph> make_graph() {
    auto made = std::make_shared<Graph>();
    made->handle = graphs().add(made);
    return made;
}

void retire(Graph &graph) {
    graphs().remove(graph.handle);
    for (const std::shared_ptr<Node> &node : graph.nodes) {
        nodes().remove(node->handle);
        node->graph = nullptr;
    }
}

std::shared_ptr<Node> add_node(Graph &graph, std::unique_ptr<Work> work, const Nodes &after) {
    auto made = std::make_shared<Node>();
    if (work) {
        made->task = work->task;
        made->uses.assign(work->uses.begin(), work->uses.end());
        work->release(); // freeing the memory is no misuse while no launch is queued
        work->after.clear();
        made->work = std::move(work);
    }
    for (const std::shared_ptr<Node> &node : after) made->after.push_back(node.get());
    made->graph = &graph;
    made->handle = nodes().add(made);
    try {
        graph.nodes.push_back(made);
    } catch (...) {
        nodes().remove(made->handle);
        throw;
    }
    return made;
}

bool leads_to(const Node &from, const Node &to) {
    std::vector<const Node *> open{&to};
    std::unordered_set<const Node *> seen{&to};
    while (!open.empty()) {
        const Node *const node = open.back();
        open.pop_back();
        if (node == &from) return true;
        for (const Node *one : node->after) {
            if (seen.insert(one).second) open.push_back(one);
        }
    }
    return false;
}

std::shared_ptr<Plan> plan_of(const Graph &graph) {
    auto made = std::make_shared<Plan>();
    made->kept = graph.kept;
    std::unordered_map<const Node *, std::size_t> index;
    for (const std::shared_ptr<Node> &node : graph.nodes) index.emplace(node.get(), index.size());
    const std::size_t count = index.size();
    std::vector<std::vector<std::size_t>> next(count);
    std::vector<std::size_t> missing(count), ready;
    for (std::size_t at = 0; at < count; ++at) {
        const Node &node = *graph.nodes[at];
        std::vector<std::size_t> after;
        for (const Node *one : node.after) {
            after.push_back(index.at(one));
            next[after.back()].push_back(at);
        }
        missing[at] = after.size();
        if (after.empty()) ready.push_back(at);
        made->shape.emplace_back(node.task, std::move(after));
    }
    std::ranges::reverse(ready); // the oldest node runs first, then the nodes that it made ready
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
        const std::size_t at = ready.back();
        ready.pop_back();
        const Node &node = *graph.nodes[at];
        made->steps.push_back({node.handle, node.work, node.uses});
        made->user = made->user || node.work->user;
        made->depth = std::max(made->depth, node.work->depth + 1);
        for (auto one = next[at].rbegin(); one != next[at].rend(); ++one) {
            if (!--missing[*one]) ready.push_back(*one);
        }
    }
    return done == count ? made : nullptr;
}

void Plan::run() const {
    for (const Step &step : steps) run_piece(*step.work);
}

std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan) {
    constexpr unsigned most_nested = 1000;
    if (plan->depth > most_nested) {
        report_misuse("graphs are nested more than 1000 deep", plan.get());
        return nullptr;
    }
    std::unique_ptr<Work> work = make_work([plan] { plan->run(); }, Task::graph);
    work->user = plan->user;
    work->depth = plan->depth;
    for (const Plan::Step &step : plan->steps) {
        for (const std::weak_ptr<Allocation> &one : step.uses) {
            Memory memory = one.lock();
            const bool there = memory && !memory->freeing &&
                               (memory->kind == MemoryKind::registered || memory_at(memory->base) == memory);
            if (!there) {
                report_misuse("memory that the graph uses was freed", memory ? memory->base : nullptr);
                return nullptr;
            }
            work->keep(std::move(memory));
        }
    }
    return work;
}

Status launch(Executable &executable, Stream &stream) {
    std::shared_ptr<const Plan> plan;
    {
        std::lock_guard lock(executable.mutex);
        plan = executable.plan;
    }
    std::unique_ptr<Work> work = work_of(plan); // it may report, so the lock isn't held
    if (!work) return Status::invalid_value;
    std::lock_guard lock(executable.mutex);
    if (!executable.last.reached()) work->after.push_back(executable.last);
    Point point = stream.submit(std::move(work));
    if (point.stream) executable.last = std::move(point); // else it is a node of another graph
    return Status::success;
}

} // namespace pygpu::host
