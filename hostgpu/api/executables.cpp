// Executable graphs.
#include "api/find.hpp"
#include "api/graphs.hpp"
#include "api/nodes.hpp"
#include "base/call.hpp"
#include "memory/misuse.hpp"
#include "streams/capture.hpp"
#include "streams/graph_launch.hpp"

#include <utility>
#include <vector>

namespace pygpu::host::api {
namespace {

// Flags of an instantiation. All but device_launch say how, not what.
constexpr unsigned long long auto_free = auto_free_on_launch, upload = 2, device_launch = 4,
                             node_priority = 8, every_flag = 15;

std::shared_ptr<Executable> find_executable(ExecutableTag *handle) {
    std::shared_ptr<Executable> executable = executables().find(handle);
    if (!executable) report_misuse("not an executable graph, or one that was destroyed", handle);
    return executable;
}

// What the manual demands of a graph that kernels may launch. `node` is one that isn't allowed.
bool suits_kernels(const Plan &plan, const void *&node) {
    for (const Plan::Step &step : plan.steps) {
        const Task task = step.work->task;
        if (task <= Task::set || (task == Task::graph && step.work->plan->fits_body)) continue;
        node = step.node;
        return false;
    }
    return !plan.steps.empty();
}

} // namespace

Status GraphInstantiateWithFlags(ExecutableTag **executable, GraphTag *graph, unsigned long long flags) {
    // Only the form with parameters uploads, and HIP knows single flags only.
    const bool known = on_hip() ? !flags || flags == auto_free || flags == node_priority
                                : !(flags & ~(auto_free | device_launch | node_priority));
    int result = 0;
    NodeTag *failed = nullptr;
    return known ? instantiate(executable, graph, flags, result, failed) : Status::invalid_value;
}

Status instantiate(ExecutableTag **executable, GraphTag *graph, unsigned long long flags, int &result,
                   NodeTag *&failed) {
    enum { success, error, invalid_structure, not_supported, handle_unused = 5 };
    result = error;
    failed = nullptr;
    const auto from = find_graph(graph);
    if (!executable || !from) return Status::invalid_value;
    const bool by_kernels = !on_hip() && flags & device_launch;
    if (by_kernels && flags & auto_free) return Status::invalid_value;
    auto created = std::make_shared<Executable>();
    created->flags = flags;
    Flaw flaw{};
    const void *node = nullptr;
    {
        std::lock_guard lock(graphs_mutex());
        if (from->level) return Status::not_supported;
        // The manual of cudaGraphAddMemAllocNode: only one instantiation may exist.
        if (has_memory_nodes(*from) && !from->instance.expired()) return Status::not_supported;
        created->plan = plan_of(*from, flaw, node);
        if (created->plan) from->instance = created;
    }
    if (created->plan && by_kernels && !suits_kernels(*created->plan, node)) flaw = Flaw::forbidden;
    if (flaw != Flaw::none) {
        result = flaw == Flaw::unused_condition ? handle_unused
                 : flaw == Flaw::circle         ? invalid_structure
                                                : not_supported;
        failed = static_cast<NodeTag *>(const_cast<void *>(node));
        return Status::invalid_value;
    }
    *executable = static_cast<ExecutableTag *>(executables().add(created));
    result = success;
    return Status::success;
}

Status instantiate_and_upload(ExecutableTag **executable, GraphTag *graph, unsigned long long flags,
                              StreamTag *stream, int &result, NodeTag *&failed) {
    const bool one = !(flags & (flags - 1)); // HIP knows single flags only
    if (flags & ~every_flag || (on_hip() && !one)) {
        result = 1;
        failed = nullptr;
        return Status::invalid_value;
    }
    const Status status = instantiate(executable, graph, flags, result, failed);
    return status == Status::success && flags & upload ? GraphUpload(*executable, stream) : status;
}

// Queued launches still run.
Status GraphExecDestroy(ExecutableTag *executable) {
    if (executables().remove(executable)) return Status::success;
    report_misuse("not an executable graph, or one that was destroyed", executable);
    return Status::invalid_value;
}

Status GraphExecGetFlags(ExecutableTag *executable, unsigned long long *flags) {
    const auto object = find_executable(executable);
    if (!object || !flags) return Status::invalid_value;
    *flags = object->flags;
    return Status::success;
}

Status GraphLaunch(ExecutableTag *executable, StreamTag *stream) {
    const auto object = find_executable(executable);
    if (!object) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    if (!on_hip()) refuse_captured(*on); // as an H200 does: a child's node takes the graph instead
    return launch(*object, *on);
}

// There is no device to upload to.
Status GraphUpload(ExecutableTag *executable, StreamTag *stream) {
    if (!find_executable(executable)) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    refuse_implied_on_cuda(*on);
    return Status::success;
}

Status update_executable(ExecutableTag *executable, GraphTag *graph, UpdateResult &result) {
    result = {Difference::error, nullptr, nullptr};
    const auto object = find_executable(executable);
    const auto from = find_graph(graph);
    if (!object || !from) return Status::invalid_value;
    std::shared_ptr<Plan> plan;
    std::shared_ptr<const Plan> replaced;
    Flaw flaw{};
    {
        std::lock_guard lock(graphs_mutex());
        const void *node = nullptr;
        plan = plan_of(*from, flaw, node);
    }
    if (!plan && flaw != Flaw::circle) return Status::invalid_value;
    if (!plan) return result.what = Difference::topology, Status::graph_update_failure;
    std::lock_guard lock(object->mutex);
    std::vector<std::size_t> pairs;
    const Difference differs =
        difference(*object->plan, *plan, on_hip() ? may_update_on_hip : may_update, pairs);
    const auto tag = [](const void *node) { return static_cast<NodeTag *>(const_cast<void *>(node)); };
    result = {differs.what, tag(differs.node), tag(differs.from)};
    if (differs.what != Difference::none) return Status::graph_update_failure;
    plan = in_place_of(*object->plan, *plan);
    replaced = std::exchange(object->plan, std::move(plan)); // released without the lock
    return Status::success;
}

} // namespace pygpu::host::api
