// Adding nodes to graphs, and changing what they do.
#include "api/nodes.hpp"

#include "api/copies_3d.hpp"
#include "api/graphs.hpp"
#include "base/call.hpp"
#include "streams/plan.hpp"
#include "streams/stream.hpp"
#include "streams/user_work.hpp"

#include <algorithm>
#include <cstdint>

namespace pygpu::host {

namespace {

// The manuals of cudaGraphExecMemcpyNodeSetParams and cudaGraphExecMemsetNodeSetParams.
bool may_set(Task task, const Operands &before, const Operands &after) {
    return may_update(task, before, after) && (task != Task::copy || (before.flat() && after.flat()));
}

// hipGraphExecMemcpyNodeSetParams() and GraphMemsetNode::SetParamsInternal() of ROCm/clr.
bool may_set_on_hip(Task task, const Operands &before, const Operands &after) {
    if (task == Task::set && before.to.device != after.to.device) return false;
    if (task == Task::set) return after.flat() || (before.width == after.width && before.rows == after.rows);
    return may_update_on_hip(task, before, after);
}

} // namespace

namespace {

// Whether memory is of the same kind, on the same device.
bool alike(const Operands::Endpoint &one, const Operands::Endpoint &other) {
    const auto array = Operands::Endpoint::Type::array;
    if (one.on_host() != other.on_host() || (one.type == array) != (other.type == array)) return false;
    return one.on_host() || one.device == other.device;
}

} // namespace

// The manual of cudaGraphExecUpdate, and what a card answers: it compares the kinds of copies.
bool may_update(Task task, const Operands &before, const Operands &after) {
    if (task == Task::copy)
        return before.kind == after.kind && alike(before.to, after.to) && alike(before.from, after.from);
    if (task == Task::batch) return before.batch == after.batch; // cuGraphExecBatchMemOpNodeSetParams
    if (task != Task::set) return true;
    const bool same = before.width == after.width && before.rows == after.rows &&
                      before.pitch == after.pitch && before.element == after.element;
    return before.to.device == after.to.device && (same || (before.flat() && after.flat()));
}

// hipGraphExecUpdate() of ROCm/clr.
bool may_update_on_hip(Task task, const Operands &before, const Operands &after) {
    if (task == Task::batch) return before.batch == after.batch;
    return task != Task::copy || before.kind == after.kind;
}

namespace {

// What was set for a kernel's node stays when it gets other parameters.
void keep_attributes(const Work &before, Work &after) {
    if (after.task != Task::kernel || !before.parameters || !after.parameters) return;
    auto call = std::get<KernelCall>(after.parameters->is);
    if (!call.attributes.empty()) return;
    call.attributes = std::get<KernelCall>(before.parameters->is).attributes;
    after.parameters = parameters_of(std::move(call));
}

} // namespace

Status replace_work(ExecutableTag *executable, NodeTag *handle, const std::shared_ptr<Node> &by) {
    const auto node = nodes().find(handle);
    if (!node || node->task != by->task) return Status::invalid_value;
    if (!executable) {
        std::lock_guard lock(graphs_mutex());
        if (!node->graph) return Status::invalid_value;
        keep_attributes(*node->work, *by->work);
        node->work.swap(by->work); // the former work is released without the lock
        node->uses.swap(by->uses);
        return Status::success;
    }
    const auto object = executables().find(executable);
    if (!object) return Status::invalid_value;
    const MayChange may_change = on_hip() ? may_set_on_hip : may_set;
    std::shared_ptr<const Plan> next; // then the former one: released without the lock
    std::lock_guard lock(object->mutex);
    next = changed(*object->plan, handle, [&](Plan::Step &step) {
        if (!may_change(by->task, step.work->operands, by->work->operands)) return false;
        keep_attributes(*step.work, *by->work);
        step.work = by->work;
        step.uses = by->uses;
        return true;
    });
    if (!next) return Status::invalid_value;
    object->plan.swap(next);
    return Status::success;
}

namespace api {

Status GraphAddEmptyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count) {
    return add_work(node, graph, after, count, [](const std::shared_ptr<Stream> &stream) {
        stream->submit(make_work([] {}));
        return Status::success;
    });
}

namespace {

// The work of nodes that are added by hand, as calls on a stream. All values are checked.
auto calling(const HostCall *call) {
    return [call](const std::shared_ptr<Stream> &stream) {
        if (!call || !call->function) return Status::invalid_value;
        auto work =
            make_user_work(stream->device, [host_call = *call] { host_call.function(host_call.data); });
        work->parameters = parameters_of(*call);
        stream->submit(std::move(work));
        return Status::success;
    };
}

auto copying(void *to, const void *from, std::size_t size, int kind) {
    return [=](const std::shared_ptr<Stream> &stream) {
        return transfer(stream, flat(to), flat(from), {size, 1, 1}, kind, Return::queued);
    };
}

auto copying(const Copy3D *copy) {
    return [copy](const std::shared_ptr<Stream> &stream) {
        return copy ? copy_3d(stream, *copy, static_cast<int>(copy->kind), Return::queued)
                    : Status::invalid_value;
    };
}

auto setting(const MemsetNode *parameters) {
    return [parameters](const std::shared_ptr<Stream> &stream) {
        if (!parameters || (parameters->element != 1 && parameters->element != 2 && parameters->element != 4))
            return Status::invalid_value;
        std::size_t width = 0;
        if (!(CheckedInt(parameters->width) * parameters->element).fits(width)) return Status::invalid_value;
        // The alignment is that of the driver API's functions for 16 and 32 bits.
        const std::size_t pitch = parameters->height > 1 ? parameters->pitch : width;
        const bool aligned =
            !((reinterpret_cast<std::uintptr_t>(parameters->to) | pitch) & (parameters->element - 1));
        if (pitch < width || !aligned) return Status::invalid_value;
        return set(stream, {static_cast<char *>(parameters->to), parameters->pitch, 0},
                   {width, parameters->height, 1}, parameters->value, parameters->element, Return::queued);
    };
}

} // namespace

Status GraphAddHostNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                        const HostCall *call) {
    return add_work(node, graph, after, count, calling(call));
}

Status GraphHostNodeSetParams(NodeTag *node, const HostCall *call) {
    return set_work(true, nullptr, node, Task::host, calling(call));
}

Status GraphExecHostNodeSetParams(ExecutableTag *executable, NodeTag *node, const HostCall *call) {
    return set_work(false, executable, node, Task::host, calling(call));
}

Status GraphAddMemcpyNode1D(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            void *to, const void *from, std::size_t size, int kind) {
    return add_work(node, graph, after, count, copying(to, from, size, kind));
}

Status GraphMemcpyNodeSetParams1D(NodeTag *node, void *to, const void *from, std::size_t size, int kind) {
    return set_work(true, nullptr, node, Task::copy, copying(to, from, size, kind));
}

Status GraphExecMemcpyNodeSetParams1D(ExecutableTag *executable, NodeTag *node, void *to, const void *from,
                                      std::size_t size, int kind) {
    return set_work(false, executable, node, Task::copy, copying(to, from, size, kind));
}

Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Copy3D *copy) {
    return add_work(node, graph, after, count, copying(copy), copy ? parameters_of(*copy) : nullptr);
}

Status GraphMemcpyNodeSetParams(NodeTag *node, const Copy3D *copy) {
    return set_work(true, nullptr, node, Task::copy, copying(copy), copy ? parameters_of(*copy) : nullptr);
}

Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const Copy3D *copy) {
    return set_work(false, executable, node, Task::copy, copying(copy),
                    copy ? parameters_of(*copy) : nullptr);
}

Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const MemsetNode *parameters) {
    return add_work(node, graph, after, count, setting(parameters),
                    parameters ? parameters_of(*parameters) : nullptr);
}

Status GraphMemsetNodeSetParams(NodeTag *node, const MemsetNode *parameters) {
    return set_work(true, nullptr, node, Task::set, setting(parameters),
                    parameters ? parameters_of(*parameters) : nullptr);
}

Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node, const MemsetNode *parameters) {
    return set_work(false, executable, node, Task::set, setting(parameters),
                    parameters ? parameters_of(*parameters) : nullptr);
}

Status GraphHostNodeGetParams(NodeTag *node, HostCall *call) {
    const auto is = asked<HostCall>(node, Task::host);
    if (!is || !call) return Status::invalid_value;
    *call = *is;
    return Status::success;
}

Status GraphMemcpyNodeGetParams(NodeTag *node, Copy3D *copy) {
    const auto is = asked<Copy3D>(node, Task::copy);
    if (!is || !copy) return Status::invalid_value;
    *copy = *is;
    return Status::success;
}

Status GraphMemsetNodeGetParams(NodeTag *node, MemsetNode *set) {
    const auto is = asked<MemsetNode>(node, Task::set);
    if (!is || !set) return Status::invalid_value;
    *set = *is;
    return Status::success;
}

Status make_condition_handle(unsigned long long *handle, GraphTag *graph, unsigned first, unsigned flags) {
    constexpr unsigned assign_default = 1;
    const auto of = find_graph(graph);
    if (!handle || !of || flags > assign_default) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    of->conditions.push_back(make_condition(first, flags == assign_default));
    *handle = of->conditions.back()->handle;
    return Status::success;
}

constexpr unsigned most_bodies = 1 << 16; // of a switch: each is a graph with a handle

Status add_conditional_node(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            ConditionalNode &parameters) {
    const auto to = find_graph(graph);
    Nodes dependencies;
    if (!node || !to || !find_nodes(*to, after, count, dependencies)) return Status::invalid_value;
    const bool sized = parameters.type == Conditional::if_ ? parameters.size == 1 || parameters.size == 2
                       : parameters.type == Conditional::while_
                           ? parameters.size == 1
                           : parameters.type == Conditional::switch_ && parameters.size;
    auto condition = condition_of(parameters.handle);
    if (!sized || !condition) return Status::invalid_value;
    if (parameters.size > most_bodies) return Status::memory_allocation;
    std::lock_guard lock(graphs_mutex());
    // Another thread may have destroyed the graph or the nodes meanwhile.
    const bool there = graphs().find(graph) == to && std::ranges::all_of(dependencies, [&](const auto &one) {
                           return one->graph == to.get();
                       });
    if (!there || condition->used) return Status::invalid_value;
    if (!can_hold(*to, 1)) return Status::invalid_value;
    const auto result =
        add_conditional(*to, std::move(condition), static_cast<Conditional::Type>(parameters.type),
                        parameters.size, dependencies);
    *node = static_cast<NodeTag *>(result->handle);
    parameters.bodies = reinterpret_cast<GraphTag **>(result->conditional->handles.data());
    return Status::success;
}

Status get_conditional(NodeTag *handle, ConditionalNode &parameters) {
    const auto node = nodes().find(handle);
    if (!node || !node->conditional) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    Conditional &is = *node->conditional;
    parameters = {is.condition->handle, is.type, static_cast<unsigned>(is.handles.size()),
                  reinterpret_cast<GraphTag **>(is.handles.data())};
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
