// Captures, graphs and executable graphs.
#include "host/api/graphs.hpp"

#include "host/api/api.hpp"
#include "host/api/copies_3d.hpp"
#include "host/api/find.hpp"
#include "host/api/nodes.hpp"
#include "host/core/capture.hpp"
#include "host/core/user_work.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace pygpu::host {

std::shared_ptr<Graph> find_graph(GraphTag *handle) {
    std::shared_ptr<Graph> graph = graphs().find(handle);
    if (!graph) report_misuse("no graph, or one that was destroyed", handle);
    return graph;
}

bool find_nodes(const Graph &graph, NodeTag *const *handles, std::size_t count, Nodes &found) {
    if (count && !handles) return false;
    std::lock_guard lock(graphs_mutex());
    for (std::size_t index = 0; index < count; ++index) {
        std::shared_ptr<Node> node = nodes().find(handles[index]);
        if (!node || node->graph != &graph) return false;
        if (std::ranges::find(found, node) != found.end()) return false;
        found.push_back(std::move(node));
    }
    return true;
}

Status replace_work(ExecutableTag *executable, NodeTag *handle, const std::shared_ptr<Node> &by) {
    const auto node = nodes().find(handle);
    if (!node || node->task != by->task) return Status::invalid_value;
    if (!executable) {
        std::lock_guard lock(graphs_mutex());
        if (!node->graph) return Status::invalid_value;
        node->work.swap(by->work); // the former work is released without the lock
        node->uses.swap(by->uses);
        return Status::success;
    }
    const auto found = executables().find(executable);
    if (!found) return Status::invalid_value;
    std::shared_ptr<const Plan> next; // then the former one: released without the lock
    std::lock_guard lock(found->mutex);
    auto made = std::make_shared<Plan>(*found->plan);
    const auto step = std::ranges::find(made->steps, handle, &Plan::Step::node);
    if (step == made->steps.end()) return Status::invalid_value;
    step->work = by->work;
    step->uses = by->uses;
    made->user = std::ranges::any_of(made->steps, [](const auto &one) { return one.work->user; });
    next = std::move(made);
    found->plan.swap(next);
    return Status::success;
}

namespace api {
namespace {

std::shared_ptr<Executable> find_executable(ExecutableTag *handle) {
    std::shared_ptr<Executable> executable = executables().find(handle);
    if (!executable) report_misuse("no executable graph, or one that was destroyed", handle);
    return executable;
}

constexpr std::size_t edge_bytes = 8;

bool has_ports(const void *edges, std::size_t count) {
    const auto *bytes = static_cast<const char *>(edges);
    return edges && std::any_of(bytes, bytes + count * edge_bytes, [](char one) { return one; });
}

NodeTag *tag(const Node &node) { return static_cast<NodeTag *>(node.handle); }

// How all these queries answer: without an array only the number, else as many as fit, and null in the rest
// of the array.
template <class Give> Status tell_all(std::size_t there, bool given, std::size_t *count, Give give) {
    const std::size_t room = *count;
    if (given) {
        for (std::size_t index = 0; index < room; ++index) give(index, index < there);
    }
    if (!given || room > there) *count = there;
    return Status::success;
}

Status tell_nodes(const std::vector<const Node *> &there, NodeTag **given, void *edges, std::size_t *count) {
    return tell_all(there.size(), given != nullptr, count, [&](std::size_t at, bool is_one) {
        given[at] = is_one ? tag(*there[at]) : nullptr;
        if (edges) std::memset(static_cast<char *>(edges) + edge_bytes * at, 0, edge_bytes);
    });
}

} // namespace

Status StreamBeginCapture(StreamTag *stream, int mode) {
    const auto on = find_stream(stream);
    return on ? begin_capture(*on, mode, nullptr, {}) : gone_stream(stream);
}

Status begin_capture_to_graph(StreamTag *stream, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              const void *edges, int mode) {
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    const auto to = find_graph(graph);
    Nodes found;
    if (!to || !find_nodes(*to, after, count, found)) return Status::invalid_value;
    return has_ports(edges, count) ? Status::not_supported : begin_capture(*on, mode, to, found);
}

Status StreamEndCapture(StreamTag *stream, GraphTag **graph) {
    if (!graph) return Status::invalid_value;
    *graph = nullptr;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    std::shared_ptr<Graph> made;
    const Status status = end_capture(*on, made);
    if (made) *graph = static_cast<GraphTag *>(made->handle);
    return status;
}

Status capture_info(StreamTag *stream, int *status, unsigned long long *id, GraphTag **graph,
                    NodeTag *const **nodes, const void **edges, std::size_t *count) {
    if (!status) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    CaptureState state;
    const Status asked = capture_state(*on, state);
    *status = state.status;
    if (id) *id = state.id;
    if (graph) *graph = static_cast<GraphTag *>(state.graph);
    if (nodes) *nodes = reinterpret_cast<NodeTag *const *>(state.nodes);
    if (edges) *edges = state.edges;
    if (count) *count = state.count;
    return asked;
}

Status update_capture_dependencies(StreamTag *stream, NodeTag *const *handles, std::size_t count,
                                   const void *edges, unsigned flags) {
    constexpr unsigned replaces = 1;
    if (flags > replaces || (count && !handles)) return Status::invalid_value;
    const auto on = find_stream(stream);
    if (!on) return gone_stream(stream);
    if (has_ports(edges, count)) return Status::not_supported;
    Nodes found;
    for (std::size_t index = 0; index < count; ++index) {
        found.push_back(nodes().find(handles[index]));
        if (!found.back()) return Status::invalid_value;
    }
    return set_capture_nodes(*on, found, flags != replaces);
}

Status GraphCreate(GraphTag **graph, unsigned flags) {
    if (!graph || flags) return Status::invalid_value;
    *graph = static_cast<GraphTag *>(make_graph()->handle);
    return Status::success;
}

Status GraphDestroy(GraphTag *graph) {
    const auto gone = find_graph(graph); // released without the lock
    if (!gone) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (gone->captures) return Status::invalid_value;
    retire(*gone);
    return Status::success;
}

Status GraphClone(GraphTag **clone, GraphTag *graph) {
    if (!clone) return Status::invalid_value;
    const auto from = find_graph(graph);
    if (!from) return Status::invalid_value;
    const auto made = make_graph();
    std::lock_guard lock(graphs_mutex());
    std::unordered_map<const Node *, Node *> copies;
    for (const auto &node : from->nodes) {
        Node &copy = *add_node(*made, nullptr, {});
        copy.task = node->task;
        copy.work = node->work;
        copy.uses = node->uses;
        copies[node.get()] = &copy;
    }
    for (const auto &node : from->nodes) {
        for (const Node *one : node->after) copies[node.get()]->after.push_back(copies[one]);
    }
    made->kept = from->kept;
    *clone = static_cast<GraphTag *>(made->handle);
    return Status::success;
}

Status GraphGetNodes(GraphTag *graph, NodeTag **given, std::size_t *count) {
    const auto found = find_graph(graph);
    if (!found || !count) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    std::vector<const Node *> there;
    for (const auto &node : found->nodes) there.push_back(node.get());
    return tell_nodes(there, given, nullptr, count);
}

Status GraphGetRootNodes(GraphTag *graph, NodeTag **given, std::size_t *count) {
    const auto found = find_graph(graph);
    if (!found || !count) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    std::vector<const Node *> there;
    for (const auto &node : found->nodes) {
        if (node->after.empty()) there.push_back(node.get());
    }
    return tell_nodes(there, given, nullptr, count);
}

Status graph_edges(GraphTag *graph, NodeTag **from, NodeTag **to, void *edges, std::size_t *count) {
    const auto found = find_graph(graph);
    if (!found || !count || !from != !to) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    std::vector<std::pair<const Node *, const Node *>> there;
    for (const auto &node : found->nodes) {
        for (const Node *one : node->after) there.emplace_back(one, node.get());
    }
    return tell_all(there.size(), from != nullptr, count, [&](std::size_t at, bool is_one) {
        from[at] = is_one ? tag(*there[at].first) : nullptr;
        to[at] = is_one ? tag(*there[at].second) : nullptr;
        if (edges) std::memset(static_cast<char *>(edges) + edge_bytes * at, 0, edge_bytes);
    });
}

Status node_neighbours(NodeTag *node, bool dependencies, NodeTag **others, void *edges, std::size_t *count) {
    const auto found = nodes().find(node);
    if (!found || !count) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!found->graph) return Status::invalid_value;
    std::vector<const Node *> there(found->after.begin(), found->after.end());
    if (!dependencies) {
        there.clear();
        for (const auto &one : found->graph->nodes) {
            if (std::ranges::find(one->after, found.get()) != one->after.end()) there.push_back(one.get());
        }
    }
    return tell_nodes(there, others, edges, count);
}

Status GraphNodeGetType(NodeTag *node, int *type) {
    const auto found = nodes().find(node);
    if (!found || !type) return Status::invalid_value;
    *type = static_cast<int>(found->task);
    return Status::success;
}

Status GraphNodeGetContainingGraph(NodeTag *node, GraphTag **graph) {
    const auto found = nodes().find(node);
    if (!found || !graph) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!found->graph) return Status::invalid_value;
    *graph = static_cast<GraphTag *>(found->graph->handle);
    return Status::success;
}

Status GraphDestroyNode(NodeTag *node) {
    const auto gone = nodes().find(node); // released without the lock
    if (!gone) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!gone->graph || gone->graph->captures) return Status::invalid_value;
    for (const auto &one : gone->graph->nodes) std::erase(one->after, gone.get());
    std::erase(gone->graph->nodes, gone);
    gone->graph = nullptr;
    nodes().remove(node);
    return Status::success;
}

Status change_dependencies(GraphTag *graph, NodeTag *const *from, NodeTag *const *to, const void *edges,
                           std::size_t count, bool adds) {
    const auto found = find_graph(graph);
    if (!found || (count && (!from || !to))) return Status::invalid_value;
    if (has_ports(edges, count)) return Status::not_supported;
    std::lock_guard lock(graphs_mutex());
    std::vector<std::pair<std::shared_ptr<Node>, std::shared_ptr<Node>>> pairs;
    for (std::size_t index = 0; index < count; ++index) {
        pairs.emplace_back(nodes().find(from[index]), nodes().find(to[index]));
        const auto &[first, second] = pairs.back();
        if (!first || !second || first == second) return Status::invalid_value;
        if (first->graph != found.get() || second->graph != found.get()) return Status::invalid_value;
        const bool there = std::ranges::find(second->after, first.get()) != second->after.end();
        if (there == adds) return Status::invalid_value;
    }
    const auto erase = [&] {
        for (const auto &[first, second] : pairs) std::erase(second->after, first.get());
    };
    erase();
    if (!adds) return Status::success;
    for (const auto &[first, second] : pairs) { // the arrays may name an edge twice
        if (std::ranges::find(second->after, first.get()) == second->after.end())
            second->after.push_back(first.get());
    }
    for (const auto &[first, second] : pairs) {
        if (!leads_to(*second, *first)) continue;
        erase();
        return Status::invalid_value;
    }
    return Status::success;
}

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
        stream->submit(make_user_work(stream->device, [given = *call] { given.function(given.data); }));
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

auto setting(const MemsetNode *given) {
    return [given](const std::shared_ptr<Stream> &stream) {
        if (!given || (given->element != 1 && given->element != 2 && given->element != 4))
            return Status::invalid_value;
        std::size_t width = 0;
        if (!(CheckedInt(given->width) * given->element).fits(width)) return Status::invalid_value;
        // The alignment is that of the driver API's functions for 16 and 32 bits.
        const std::size_t pitch = given->height > 1 ? given->pitch : width;
        const bool aligned = !((reinterpret_cast<std::uintptr_t>(given->to) | pitch) & (given->element - 1));
        if (pitch < width || !aligned) return Status::invalid_value;
        return set(stream, {static_cast<char *>(given->to), given->pitch, 0}, {width, given->height, 1},
                   given->value, given->element, Return::queued);
    };
}

} // namespace

Status GraphAddHostNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                        const HostCall *call) {
    return add_work(node, graph, after, count, calling(call));
}

Status GraphHostNodeSetParams(NodeTag *node, const HostCall *call) {
    return set_work(true, nullptr, node, calling(call));
}

Status GraphExecHostNodeSetParams(ExecutableTag *executable, NodeTag *node, const HostCall *call) {
    return set_work(false, executable, node, calling(call));
}

Status GraphAddMemcpyNode1D(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                            void *to, const void *from, std::size_t size, int kind) {
    return add_work(node, graph, after, count, copying(to, from, size, kind));
}

Status GraphMemcpyNodeSetParams1D(NodeTag *node, void *to, const void *from, std::size_t size, int kind) {
    return set_work(true, nullptr, node, copying(to, from, size, kind));
}

Status GraphExecMemcpyNodeSetParams1D(ExecutableTag *executable, NodeTag *node, void *to, const void *from,
                                      std::size_t size, int kind) {
    return set_work(false, executable, node, copying(to, from, size, kind));
}

Status GraphAddMemcpyNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const Copy3D *copy) {
    return add_work(node, graph, after, count, copying(copy));
}

Status GraphMemcpyNodeSetParams(NodeTag *node, const Copy3D *copy) {
    return set_work(true, nullptr, node, copying(copy));
}

Status GraphExecMemcpyNodeSetParams(ExecutableTag *executable, NodeTag *node, const Copy3D *copy) {
    return set_work(false, executable, node, copying(copy));
}

Status GraphAddMemsetNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                          const MemsetNode *given) {
    return add_work(node, graph, after, count, setting(given));
}

Status GraphMemsetNodeSetParams(NodeTag *node, const MemsetNode *given) {
    return set_work(true, nullptr, node, setting(given));
}

Status GraphExecMemsetNodeSetParams(ExecutableTag *executable, NodeTag *node, const MemsetNode *given) {
    return set_work(false, executable, node, setting(given));
}

// The node runs the child graph as it is now.
Status GraphAddChildGraphNode(NodeTag **node, GraphTag *graph, NodeTag *const *after, std::size_t count,
                              GraphTag *child) {
    const auto taken = find_graph(child);
    if (!taken || child == graph) return Status::invalid_value;
    std::shared_ptr<const Plan> plan;
    {
        std::lock_guard lock(graphs_mutex());
        plan = plan_of(*taken);
    }
    return add_work(node, graph, after, count, [&](const std::shared_ptr<Stream> &stream) {
        std::unique_ptr<Work> work = plan ? work_of(plan) : nullptr;
        if (!work) return Status::invalid_value;
        stream->submit(std::move(work));
        return Status::success;
    });
}

Status GraphInstantiateWithFlags(ExecutableTag **executable, GraphTag *graph, unsigned long long flags) {
    constexpr unsigned long long known = 0xf, device_launch = 4; // the others say how, not what
    if (!executable || flags & ~known) return Status::invalid_value;
    if (flags & device_launch) return Status::not_supported; // launches by kernels
    const auto from = find_graph(graph);
    if (!from) return Status::invalid_value;
    auto made = std::make_shared<Executable>();
    made->flags = flags;
    {
        std::lock_guard lock(graphs_mutex());
        if (from->captures) return Status::invalid_value;
        made->plan = plan_of(*from);
    }
    if (!made->plan) return Status::invalid_value;
    *executable = static_cast<ExecutableTag *>(executables().add(made));
    return Status::success;
}

// Queued launches still run.
Status GraphExecDestroy(ExecutableTag *executable) {
    if (executables().remove(executable)) return Status::success;
    report_misuse("no executable graph, or one that was destroyed", executable);
    return Status::invalid_value;
}

Status GraphExecGetFlags(ExecutableTag *executable, unsigned long long *flags) {
    const auto found = find_executable(executable);
    if (!found || !flags) return Status::invalid_value;
    *flags = found->flags;
    return Status::success;
}

Status GraphLaunch(ExecutableTag *executable, StreamTag *stream) {
    const auto found = find_executable(executable);
    if (!found) return Status::invalid_value;
    const auto on = find_stream(stream);
    return on ? launch(*found, *on) : gone_stream(stream);
}

// There is no device to upload to.
Status GraphUpload(ExecutableTag *executable, StreamTag *stream) {
    if (!find_executable(executable)) return Status::invalid_value;
    return find_stream(stream) ? Status::success : gone_stream(stream);
}

Status update_executable(ExecutableTag *executable, GraphTag *graph, NodeTag **differs, int *result) {
    enum { success, error, topology_changed, node_type_changed };
    if (differs) *differs = nullptr;
    if (result) *result = error;
    const auto found = find_executable(executable);
    const auto from = find_graph(graph);
    if (!found || !from) return Status::invalid_value;
    std::shared_ptr<Plan> made;
    std::shared_ptr<const Plan> replaced;
    std::vector<void *> handles;
    {
        std::lock_guard lock(graphs_mutex());
        if (from->captures || !(made = plan_of(*from))) return Status::invalid_value;
        for (const auto &node : from->nodes) handles.push_back(node->handle);
    }
    std::lock_guard lock(found->mutex);
    const auto &before = found->plan->shape, &after = made->shape;
    const auto [old, other] = std::ranges::mismatch(before, after);
    if (old == before.end() && other == after.end()) {
        // The nodes keep the handles of the graph that the executable one was made from.
        for (std::size_t at = 0; at < made->steps.size(); ++at)
            made->steps[at].node = found->plan->steps[at].node;
        replaced = std::exchange(found->plan, std::move(made)); // released without the lock
        if (result) *result = success;
        return Status::success;
    }
    const bool same_edges = old != before.end() && other != after.end() && old->second == other->second;
    if (result) *result = same_edges ? node_type_changed : topology_changed;
    if (differs && other != after.end())
        *differs = static_cast<NodeTag *>(handles[static_cast<std::size_t>(other - after.begin())]);
    return Status::graph_update_failure;
}

namespace {

// Whether so many references can be added: the manual's limit is INT_MAX.
bool fits(unsigned count, unsigned there = 0) {
    constexpr unsigned most = INT_MAX;
    return count && count <= most && there <= most - count;
}

} // namespace

Status UserObjectCreate(UserObjectTag **object, void *value, void (*destroy)(void *), unsigned count,
                        unsigned flags) {
    constexpr unsigned no_destructor_sync = 1;
    if (!object || !destroy || !fits(count) || flags != no_destructor_sync) return Status::invalid_value;
    auto slot = std::make_shared<UserObjectSlot>();
    auto made = std::make_shared<UserObject>(value);
    slot->object = made;
    slot->own = made;
    slot->count = count;
    made->handle = user_objects().add(std::move(slot));
    made->destroy = destroy;
    *object = static_cast<UserObjectTag *>(made->handle);
    return Status::success;
}

Status UserObjectRetain(UserObjectTag *object, unsigned count) {
    const auto slot = user_objects().find(object);
    if (!slot) return Status::invalid_value;
    std::lock_guard lock(graphs_mutex());
    if (!fits(count, slot->count)) return Status::invalid_value;
    if (!slot->own) slot->own = slot->object.lock();
    if (!slot->own) return Status::invalid_value;
    slot->count += count;
    return Status::success;
}

Status UserObjectRelease(UserObjectTag *object, unsigned count) {
    const auto slot = user_objects().find(object);
    if (!slot || !count) return Status::invalid_value;
    std::shared_ptr<UserObject> gone; // released without the lock
    std::lock_guard lock(graphs_mutex());
    if (slot->count < count) return Status::invalid_value;
    if (!(slot->count -= count)) gone = std::move(slot->own);
    return Status::success;
}

Status GraphRetainUserObject(GraphTag *graph, UserObjectTag *object, unsigned count, unsigned flags) {
    constexpr unsigned move = 1;
    const auto to = find_graph(graph);
    const auto slot = user_objects().find(object);
    if (!to || !slot || !fits(count) || flags > move) return Status::invalid_value;
    std::shared_ptr<UserObject> kept; // released without the lock
    std::lock_guard lock(graphs_mutex());
    kept = slot->object.lock();
    if (!kept || (flags == move && slot->count < count)) return Status::invalid_value;
    unsigned &there = to->kept[kept];
    if (!fits(count, there)) return Status::invalid_value;
    there += count;
    if (flags == move && !(slot->count -= count)) slot->own.reset();
    return Status::success;
}

Status GraphReleaseUserObject(GraphTag *graph, UserObjectTag *object, unsigned count) {
    const auto from = find_graph(graph);
    const auto slot = user_objects().find(object);
    if (!from || !slot || !count) return Status::invalid_value;
    std::shared_ptr<UserObject> gone; // released without the lock
    std::lock_guard lock(graphs_mutex());
    gone = slot->object.lock();
    const auto kept = from->kept.find(gone);
    if (kept == from->kept.end() || kept->second < count) return Status::invalid_value;
    if (!(kept->second -= count)) from->kept.erase(kept);
    return Status::success;
}

} // namespace api
} // namespace pygpu::host
