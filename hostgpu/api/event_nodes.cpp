// Nodes that record events, and nodes that wait for them.
#include "api/find.hpp"
#include "api/nodes.hpp"
#include "streams/graph_launch.hpp"

namespace pygpu::host::api {
namespace {

Status find_use(EventTag *handle, EventUse &use) {
    if (!handle) return Status::invalid_value;
    use = {find_event(handle), handle};
    return use.event ? Status::success : gone_event(handle);
}

auto using_event(Task task, EventTag *event) {
    return [=](const std::shared_ptr<Stream> &stream) {
        EventUse use;
        const Status status = find_use(event, use);
        if (status == Status::success) stream->submit(make_prepared(task, parameters_of(std::move(use))));
        return status;
    };
}

Status get_event(NodeTag *node, Task task, EventTag **event) {
    const auto use = asked<EventUse>(node, task);
    if (!use || !event) return Status::invalid_value;
    *event = static_cast<EventTag *>(use->handle);
    return Status::success;
}

} // namespace

Status set_event(bool in_graph, ExecutableTag *executable, NodeTag *node, Task task, EventTag *event) {
    return set_work(in_graph, executable, node, task, using_event(task, event));
}

Status GraphAddEventRecordNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                               EventTag *event) {
    return add_work(node, graph, after, count, using_event(Task::record, event));
}

Status GraphAddEventWaitNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                             EventTag *event) {
    return add_work(node, graph, after, count, using_event(Task::wait, event));
}

Status GraphEventRecordNodeSetEvent(NodeTag *node, EventTag *event) {
    return set_event(true, nullptr, node, Task::record, event);
}

Status GraphEventWaitNodeSetEvent(NodeTag *node, EventTag *event) {
    return set_event(true, nullptr, node, Task::wait, event);
}

Status GraphExecEventRecordNodeSetEvent(ExecutableTag *executable, NodeTag *node, EventTag *event) {
    return set_event(false, executable, node, Task::record, event);
}

Status GraphExecEventWaitNodeSetEvent(ExecutableTag *executable, NodeTag *node, EventTag *event) {
    return set_event(false, executable, node, Task::wait, event);
}

Status GraphEventRecordNodeGetEvent(NodeTag *node, EventTag **event) {
    return get_event(node, Task::record, event);
}

Status GraphEventWaitNodeGetEvent(NodeTag *node, EventTag **event) {
    return get_event(node, Task::wait, event);
}

} // namespace pygpu::host::api
