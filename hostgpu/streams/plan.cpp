// Making plans of graphs, comparing them, and running them in a stream's order.
#include "streams/plan.hpp"

#include "memory/misuse.hpp"
#include "memory/virtual_memory.hpp"
#include "streams/patience.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <numeric>
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
    return (work.task <= Task::set || work.task == Task::graph || work.task == Task::empty ||
            work.task == Task::conditional) &&
           (!work.plan || work.plan->fits_body);
}

std::shared_ptr<Work> work_of_branches(const std::shared_ptr<const Plan::Branches> &branches) {
    auto work = make_work([branches] { branches->run(); }, Task::conditional);
    for (const auto &plan : branches->bodies) {
        work->user = work->user || plan->user;
        work->depth = std::max(work->depth, plan->depth);
    }
    return work;
}

// Adds a conditional node's bodies to its step. False where one can't be executed.
bool plan_branches(const Conditional &conditional, Plan::Step &step, Flaw &flaw, const void *&node) {
    auto branches = std::make_shared<Plan::Branches>();
    branches->condition = conditional.condition;
    branches->type = conditional.type;
    for (const std::shared_ptr<Graph> &body : conditional.bodies) {
        const std::shared_ptr<const Plan> plan = plan_of(*body, flaw, node);
        if (!plan) return false;
        branches->bodies.push_back(plan);
    }
    step.branches = branches;
    step.work = work_of_branches(branches);
    return true;
}

template <class Body> void each_use(const Plan &plan, const Body &body) {
    for (const Plan::Step &step : plan.steps) {
        if (!step.enabled) continue;
        if (step.work->plan) {
            each_use(*step.work->plan, body);
            continue;
        }
        for (const std::weak_ptr<Allocation> &one : step.uses) body(one);
        if (!step.branches) continue;
        for (const auto &inner : step.branches->bodies) each_use(*inner, body);
    }
}

} // namespace

std::unique_ptr<Work> work_of_child(const std::shared_ptr<const Plan> &plan) {
    auto work = make_work([plan] { plan->run(); }, Task::graph);
    work->plan = plan;
    work->user = plan->user;
    work->depth = plan->depth;
    return work;
}

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
        if (place.count(node.get())) continue;
        flaw = Flaw::circle;
        failed = node->handle;
        return nullptr;
    }
    for (const std::size_t at : order) {
        const Node &node = *graph.nodes[at];
        Plan::Step step{node.handle, node.work, node.uses, {}, at, nullptr, node.device};
        for (const Node *one : node.after) step.after.push_back(place.at(one));
        if (node.conditional) {
            if (!plan_branches(*node.conditional, step, flaw, failed)) return nullptr;
            plan->conditions.push_back(node.conditional->condition); // it may be another graph's
        }
        if (node.child) {
            const std::shared_ptr<const Plan> child = plan_of(*node.child, flaw, failed);
            if (flaw == Flaw::circle) failed = node.handle;
            if (!child) return nullptr;
            step.work = work_of_child(child);
        }
        plan->note(step);
        plan->steps.push_back(std::move(step));
    }
    for (const std::shared_ptr<Node> &node : graph.nodes) {
        if (!graph.in_body || fits_body(*plan->steps[place.at(node.get())].work)) continue;
        flaw = Flaw::forbidden;
        failed = node->handle;
        return nullptr;
    }
    return plan;
}

void Plan::note(const Step &step) {
    const Work &piece = *step.work;
    const Task task = piece.task;
    const bool of_memory = task == Task::allocation || task == Task::release;
    conditional = conditional || step.branches || (piece.plan && piece.plan->conditional);
    fits_body = fits_body && host::fits_body(piece);
    user = user || piece.user;
    memory = memory || of_memory || (piece.plan && piece.plan->memory);
    prepared = prepared || of_memory || task == Task::record || task == Task::wait ||
               (piece.plan && piece.plan->prepared);
    depth = std::max(depth, piece.depth + 1);
}

std::shared_ptr<Plan> changed(const Plan &plan, const void *node,
                              const std::function<bool(Plan::Step &step)> &change) {
    auto copy = std::make_shared<Plan>(plan);
    bool done = false;
    for (Plan::Step &step : copy->steps) {
        if (step.node == node) {
            if (!change(step)) return nullptr;
            done = true;
        } else if (step.work->plan) {
            const std::shared_ptr<const Plan> inner = changed(*step.work->plan, node, change);
            if (inner) step.work = work_of_child(inner);
            done = inner != nullptr;
        } else if (step.branches) {
            auto branches = std::make_shared<Plan::Branches>(*step.branches);
            for (std::shared_ptr<const Plan> &body : branches->bodies) {
                const std::shared_ptr<const Plan> inner = changed(*body, node, change);
                if (!inner) continue;
                body = inner;
                done = true;
            }
            if (done) {
                step.work = work_of_branches(branches);
                step.branches = std::move(branches);
            }
        }
        if (done) break;
    }
    if (!done) return nullptr;
    copy->user = false;
    for (const Plan::Step &step : copy->steps) copy->note(step);
    return copy;
}

const Plan::Step *step_of(const Plan &plan, const void *node) {
    const Plan::Step *found = nullptr;
    for (const Plan::Step &step : plan.steps) {
        if (step.node == node) return &step;
        if (step.work->plan) found = step_of(*step.work->plan, node);
        if (step.branches) {
            for (const auto &body : step.branches->bodies) found = found ? found : step_of(*body, node);
        }
        if (found) return found;
    }
    return nullptr;
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
    for (const Step &step : steps) {
        if (const Stream *const on = running_stream(); on && on->has_given_up()) return;
        if (step.enabled) run_piece(*step.work);
    }
}

void Plan::Branches::run() const {
    if (type == Conditional::while_) return run_loop();
    const unsigned value = condition->value;
    const std::size_t chosen = type == Conditional::switch_ ? value : value ? 0 : 1;
    if (chosen < bodies.size()) bodies[chosen]->run_steps();
}

// After a fault no kernel runs any more, and so none ends the loop.
void Plan::Branches::run_loop() const {
    Patience patience("a loop of a graph runs");
    while (condition->value && !patience.is_over()) bodies[0]->run_steps();
}

std::unique_ptr<Work> work_of(const std::shared_ptr<const Plan> &plan) {
    std::unique_ptr<Work> work = work_of_child(plan);
    bool whole = true;
    each_use(*plan, [&](const std::weak_ptr<Allocation> &one) {
        Memory memory = one.lock();
        const bool there = memory && !memory->freeing &&
                           (memory->kind == MemoryKind::registered || memory_at(memory->base) == memory);
        if (there && (memory->owner != Owner::mapping || any_access_of(*memory)))
            return work->keep(std::move(memory));
        if (whole)
            report_misuse("memory that the graph uses was freed, or may not be accessed",
                          memory ? memory->base : nullptr);
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

std::shared_ptr<Graph> graph_of(const Plan &plan) {
    const auto made = make_graph();
    made->kept = plan.kept;
    std::vector<std::size_t> order(plan.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t at) { return plan.steps[at].added; });
    std::vector<Node *> added(plan.steps.size());
    for (const std::size_t at : order) {
        const Plan::Step &step = plan.steps[at];
        const auto node = step.work->plan ? add_child(*made, graph_of(*step.work->plan), {}, step.device)
                                          : add_node(*made, nullptr, {}, step.device);
        if (!step.work->plan) {
            node->task = step.work->task;
            node->work = step.work;
            node->uses = step.uses;
        }
        added[at] = node.get();
    }
    for (const std::size_t at : order) {
        for (const std::size_t one : plan.steps[at].after) added[at]->after.push_back(added[one]);
    }
    return made;
}

std::shared_ptr<Plan> in_place_of(const Plan &before, const Plan &after) {
    auto copy = std::make_shared<Plan>(after);
    std::vector<std::size_t> pairs;
    difference(before, after, [](Task, const Operands &, const Operands &) { return true; }, pairs);
    for (std::size_t at = 0; at < copy->steps.size(); ++at) {
        Plan::Step &step = copy->steps[at];
        const Plan::Step &former = before.steps[pairs[at]];
        step.node = former.node;
        step.enabled = former.enabled;
        if (step.work->plan) step.work = work_of_child(in_place_of(*former.work->plan, *step.work->plan));
        if (!step.branches) continue;
        auto branches = std::make_shared<Plan::Branches>(*step.branches);
        for (std::size_t body = 0; body < branches->bodies.size(); ++body)
            branches->bodies[body] = in_place_of(*former.branches->bodies[body], *branches->bodies[body]);
        step.work = work_of_branches(branches);
        step.branches = std::move(branches);
    }
    return copy;
}

} // namespace pygpu::host
