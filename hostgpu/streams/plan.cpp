// Making plans of graphs, comparing them, and running them in a stream's order.
#include "streams/plan.hpp"

#include "base/process.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "memory/misuse.hpp"
#include "streams/capture.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>

namespace pygpu::host {
namespace {

// Programming guide, "Conditional Node Body Graph Requirements": copies may reach neither pageable memory nor
// arrays, and nothing calls the host.
bool fits_body(const Work &work) {
    const auto fits = [](const Operands::Endpoint &place) {
        return place.type != Operands::Endpoint::Type::pageable &&
               place.type != Operands::Endpoint::Type::array;
    };
    if (work.task == Task::copy) return fits(work.operands.to) && fits(work.operands.from);
    return work.task != Task::host && (!work.plan || work.plan->fits_body);
}

// Adds a conditional node's bodies to its step. False where one can't be executed.
bool plan_branches(const Conditional &conditional, Plan::Step &step, Flaw &flaw, const void *&node) {
    auto branches = std::make_shared<Plan::Branches>();
    branches->condition = conditional.condition;
    branches->type = conditional.type;
    auto work = make_work([branches] { branches->run(); }, Task::conditional);
    for (const std::shared_ptr<Graph> &body : conditional.bodies) {
        const std::shared_ptr<const Plan> plan = plan_of(*body, flaw, node);
        if (!plan) return false;
        work->user = work->user || plan->user;
        work->depth = std::max(work->depth, plan->depth);
        branches->bodies.push_back(plan);
    }
    step.branches = std::move(branches);
    step.work = std::move(work);
    return true;
}

template <class Body> void each_use(const Plan &plan, const Body &body) {
    for (const Plan::Step &step : plan.steps) {
        for (const std::weak_ptr<Allocation> &one : step.uses) body(one);
        if (!step.branches) continue;
        for (const auto &inner : step.branches->bodies) each_use(*inner, body);
    }
}

} // namespace

Handles<Executable> &executables() {
    static auto *handles = new Handles<Executable>;
    return *handles;
}

std::vector<std::size_t> order_of(const Graph &graph) {
    std::unordered_map<const Node *, std::size_t> index;
    for (const std::shared_ptr<Node> &node : graph.nodes) index.emplace(node.get(), index.size());
    const std::size_t count = index.size();
    std::vector<std::vector<std::size_t>> next(count);
    std::vector<std::size_t> missing(count), ready, order;
    for (std::size_t at = 0; at < count; ++at) {
        const Node &node = *graph.nodes[at];
        for (const Node *one : node.after) next[index.at(one)].push_back(at);
        missing[at] = node.after.size();
        if (node.after.empty()) ready.push_back(at);
    }
    std::ranges::reverse(ready); // the oldest node runs first, then the nodes that it made ready
    while (!ready.empty()) {
        order.push_back(ready.back());
        ready.pop_back();
        const std::vector<std::size_t> &successors = next[order.back()];
        for (auto one = successors.rbegin(); one != successors.rend(); ++one) {
            if (!--missing[*one]) ready.push_back(*one);
        }
    }
    return order;
}

std::shared_ptr<Plan> plan_of(const Graph &graph, Flaw &flaw, const void *&failed) {
    flaw = Flaw::none;
    if (!std::ranges::all_of(graph.conditions, &Condition::used)) {
        flaw = Flaw::unused_condition;
        return nullptr;
    }
    auto plan = std::make_shared<Plan>();
    plan->kept = graph.kept;
    plan->conditions = graph.conditions;
    const std::vector<std::size_t> order = order_of(graph);
    std::unordered_map<const Node *, std::size_t> place;
    for (const std::size_t at : order) place.emplace(graph.nodes[at].get(), place.size());
    for (const std::shared_ptr<Node> &node : graph.nodes) {
        if (!place.count(node.get()) || (node->task == Task::graph && !node->work->plan))
            flaw = Flaw::circle;
        else if (graph.level && !fits_body(*node->work))
            flaw = Flaw::forbidden;
        if (flaw == Flaw::none) continue;
        failed = node->handle;
        return nullptr;
    }
    for (const std::size_t at : order) {
        const Node &node = *graph.nodes[at];
        Plan::Step step{node.handle, node.work, node.uses, {}, at, nullptr};
        for (const Node *one : node.after) step.after.push_back(place.at(one));
        if (node.conditional) {
            if (!plan_branches(*node.conditional, step, flaw, failed)) return nullptr;
            plan->conditions.push_back(node.conditional->condition); // it may be another graph's
        }
        const Work &work = *step.work;
        plan->conditional = plan->conditional || step.branches;
        plan->fits_body = plan->fits_body && fits_body(work);
        plan->user = plan->user || work.user;
        plan->depth = std::max(plan->depth, work.depth + 1);
        plan->steps.push_back(std::move(step));
    }
    return plan;
}

void Plan::run() const {
    assign();
    run_steps();
}

void Plan::assign() const {
    for (const std::shared_ptr<Condition> &one : conditions) {
        if (one->assigned) one->value = one->first;
    }
    if (!conditional) return;
    for (const Step &step : steps) {
        if (!step.branches) continue;
        for (const auto &body : step.branches->bodies) body->assign();
    }
}

void Plan::run_steps() const {
    for (const Step &step : steps) run_piece(*step.work);
}

void Plan::Branches::run() const {
    if (type == Conditional::while_) return run_loop();
    const unsigned value = condition->value;
    const std::size_t chosen = type == Conditional::switch_ ? value : value ? 0 : 1;
    if (chosen < bodies.size()) bodies[chosen]->run_steps();
}

// After a fault no kernel runs any more, and so none ends the loop.
void Plan::Branches::run_loop() const {
    const std::chrono::seconds limit(settings().timeout);
    const auto start = std::chrono::steady_clock::now();
    while (condition->value && !process.fatal.load() && !process.ending.load()) {
        if (limit.count() && std::chrono::steady_clock::now() - start > limit) {
            constexpr int timeout = static_cast<int>(Status::launch_timeout);
            report("a loop of a graph runs for more than " + std::to_string(limit.count()) +
                   " s (PYGPU_HOST_TIMEOUT); every call returns " + std::to_string(timeout) +
                   " until the device is reset");
            int none = 0;
            process.fatal.compare_exchange_strong(none, timeout);
            return;
        }
        bodies[0]->run_steps();
    }
}

std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan) {
    if (plan->depth > most_nested) {
        report_misuse("graphs are nested more than 1000 deep", plan.get());
        return nullptr;
    }
    std::unique_ptr<Work> work = make_work([plan] { plan->run(); }, Task::graph);
    work->plan = plan;
    work->user = plan->user;
    work->depth = plan->depth;
    bool whole = true;
    each_use(*plan, [&](const std::weak_ptr<Allocation> &one) {
        Memory memory = one.lock();
        const bool there = memory && !memory->freeing &&
                           (memory->kind == MemoryKind::registered || memory_at(memory->base) == memory);
        if (there) return work->keep(std::move(memory));
        if (whole) report_misuse("memory that the graph uses was freed", memory ? memory->base : nullptr);
        whole = false;
    });
    return whole ? std::move(work) : nullptr;
}

namespace {

// Compares two steps apart from the steps that they depend on.
Difference difference_of(const Plan::Step &before, const Plan::Step &after, MayChange may_change) {
    const auto with = [&](Difference::What what) { return Difference{what, after.node, nullptr}; };
    if (before.work->task != after.work->task) return with(Difference::type);
    if (before.after.size() != after.after.size()) return with(Difference::topology);
    if (!may_change(after.work->task, before.work->operands, after.work->operands))
        return with(Difference::parameters);
    std::vector<std::size_t> pairs;
    if (after.work->plan == before.work->plan && !after.branches) return {};
    if (after.work->plan) return difference(*before.work->plan, *after.work->plan, may_change, pairs);
    if (!after.branches) return {};
    const auto &old = before.branches->bodies, &updated = after.branches->bodies;
    if (before.branches->type != after.branches->type || old.size() != updated.size())
        return with(Difference::not_supported);
    for (std::size_t at = 0; at < updated.size(); ++at) {
        const Difference inner = difference(*old[at], *updated[at], may_change, pairs);
        if (inner.what != Difference::none) return inner;
    }
    return {};
}

// The steps that nothing depends on, as they were added.
std::vector<std::size_t> last_of(const Plan &plan) {
    std::vector<bool> followed(plan.steps.size());
    for (const Plan::Step &step : plan.steps) {
        for (const std::size_t one : step.after) followed[one] = true;
    }
    std::vector<std::size_t> last;
    for (std::size_t at = 0; at < plan.steps.size(); ++at) {
        if (!followed[at]) last.push_back(at);
    }
    std::ranges::sort(last, {}, [&](std::size_t at) { return plan.steps[at].added; });
    return last;
}

} // namespace

Difference difference(const Plan &before, const Plan &after, MayChange may_change,
                      std::vector<std::size_t> &pairs) {
    constexpr std::size_t unpaired = SIZE_MAX;
    const std::size_t count = after.steps.size();
    if (before.steps.size() != count) return {Difference::topology};
    const std::vector<std::size_t> old = last_of(before), updated = last_of(after);
    if (old.size() > updated.size()) return {Difference::topology};
    if (old.size() < updated.size()) return {Difference::topology, after.steps[updated[0]].node};
    pairs.assign(count, unpaired);
    std::vector<bool> taken(count);
    std::vector<std::size_t> open;
    const auto pair = [&](std::size_t at, std::size_t with) {
        if (pairs[at] == unpaired && !taken[with]) {
            pairs[at] = with;
            taken[with] = true;
            open.push_back(at);
        }
        return pairs[at] == with;
    };
    for (std::size_t at = count ? updated.size() : 0; at--;) pair(updated[at], old[at]);
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        const Plan::Step &one = after.steps[at], &other = before.steps[pairs[at]];
        if (const Difference difference = difference_of(other, one, may_change);
            difference.what != Difference::none)
            return difference;
        for (std::size_t edge = 0; edge < one.after.size(); ++edge) {
            if (!pair(one.after[edge], other.after[edge]))
                return {Difference::topology, one.node, after.steps[one.after[edge]].node};
        }
    }
    return {};
}

Status launch(Executable &executable, Stream &stream) {
    std::shared_ptr<const Plan> plan;
    {
        std::lock_guard lock(executable.mutex);
        plan = executable.plan;
    }
    if (plan->conditional) refuse_captured(stream); // it can't become a child graph
    std::unique_ptr<Work> work = work_of(plan);     // it may report, so the lock isn't held
    if (!work) return Status::invalid_value;
    std::lock_guard lock(executable.mutex);
    if (!executable.last.reached()) work->after.push_back(executable.last);
    Point point = stream.submit(std::move(work));
    if (point.stream) executable.last = std::move(point); // else it is a node of another graph
    return Status::success;
}

} // namespace pygpu::host
