// Nodes that run a graph of their own.
#include "api/nodes.hpp"
#include "memory/misuse.hpp"
#include "streams/plan.hpp"

#include <algorithm>
#include <string>

namespace pygpu::host::api {
namespace {

// Whether a graph is another one or lies in its nodes, at any depth. Lock held.
bool lies_in(const Graph &inner, const Graph &outer) {
    if (&inner == &outer) return true;
    bool found = false;
    for (const auto &node : outer.nodes)
        each_inner(*node, [&](const Graph &one) { found = found || lies_in(inner, one); });
    return found;
}

Status add_child_node(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                      GraphTag *child, bool moves) {
    const auto to = find_graph(graph), taken = find_graph(child);
    Nodes dependencies;
    if (!node || !to || !taken || to == taken || !find_nodes(*to, after, count, dependencies))
        return Status::invalid_value;
    const int device = current_device().number;
    bool too_deep = false;
    {
        std::lock_guard lock(graphs_mutex());
        // Another thread may have destroyed them meanwhile.
        const bool there =
            graphs().find(graph) == to && graphs().find(child) == taken &&
            std::ranges::all_of(dependencies, [&](const auto &one) { return one->graph == to.get(); });
        if (!there || (moves && (taken->level || is_captured(*taken) || lies_in(*to, *taken))))
            return Status::invalid_value;
        if (!moves && stays_where_it_is(*taken)) return Status::not_supported;
        too_deep = !can_hold(*to, depth_of(*taken));
        if (!too_deep) {
            const auto made = add_child(*to, moves ? taken : copy_of(*taken), dependencies, device);
            *node = static_cast<NodeTag *>(made->handle);
        }
    }
    if (too_deep)
        report_misuse(("graphs are nested more than " + std::to_string(most_nested) + " deep").c_str(),
                      child);
    return too_deep ? Status::invalid_value : Status::success;
}

} // namespace

Status GraphAddChildGraphNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              GraphTag *child) {
    return add_child_node(node, graph, after, count, child, false);
}

Status move_child_graph(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                        GraphTag *child) {
    return add_child_node(node, graph, after, count, child, true);
}

Status GraphChildGraphNodeGetGraph(NodeTag *handle, GraphTag **child) {
    const auto node = nodes().find(handle);
    if (!node || !child) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!node->graph || !node->child) return Status::invalid_value;
    *child = static_cast<GraphTag *>(node->child->handle);
    return Status::success;
}

Status GraphExecChildGraphNodeSetParams(ExecutableTag *executable, NodeTag *node, GraphTag *child) {
    return executable ? set_child_graph(executable, node, child) : Status::invalid_value;
}

Status set_child_graph(ExecutableTag *executable, NodeTag *handle, GraphTag *child) {
    const auto node = nodes().find(handle);
    const auto from = find_graph(child);
    if (!node || node->task != Task::graph || !from) return Status::invalid_value;
    if (!executable) return Status::not_supported; // the embedded graph itself can be changed
    const auto object = executables().find(executable);
    if (!object) return Status::invalid_value;
    std::shared_ptr<const Plan> plan;
    {
        std::lock_guard lock(graphs_mutex());
        Flaw flaw{};
        const void *failed = nullptr;
        plan = plan_of(*from, flaw, failed);
    }
    if (!plan) return Status::invalid_value;
    const Status fails = on_hip() ? Status::unknown : Status::graph_update_failure;
    std::shared_ptr<const Plan> next; // then the former one: released without the lock
    std::lock_guard lock(object->mutex);
    const Plan::Step *const step = step_of(*object->plan, handle);
    if (!step || !step->work->plan) return Status::invalid_value;
    std::vector<std::size_t> pairs;
    const auto may_change = on_hip() ? may_update_on_hip : may_update;
    if (difference(*step->work->plan, *plan, may_change, pairs).what != Difference::none) return fails;
    next = changed(*object->plan, handle, [&](Plan::Step &one) {
        one.work = work_of_child(in_place_of(*one.work->plan, *plan));
        return true;
    });
    object->plan.swap(next);
    return Status::success;
}

} // namespace pygpu::host::api
