// Which streams capture, and what that forbids: CUDA's programming guide, "Creating a Graph Using Stream
// Capture", and the manual of cudaThreadExchangeStreamCaptureMode.
#include "streams/capture.hpp"

#include "base/call.hpp"
#include "base/caught.hpp"
#include "base/thread.hpp"
#include "streams/plan.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace pygpu::host {

struct Capture {
    // A stream that takes part.
    struct Member {
        Nodes after{}; // its next work depends on them
        int device = 0;
        bool blocking = false;
        std::vector<void *> last_reported{}; // what capture_state returned last
        std::vector<unsigned long long> edges{};
    };

    unsigned long long id = 0, origin = 0; // origin: the number of the stream where it started
    int mode = 0;
    unsigned long long thread = 0; // the number of the thread that started it
    std::shared_ptr<Graph> graph{};
    bool owns_graph = false;
    bool valid = true, active = true;
    std::map<unsigned long long, Member> members{}; // by the streams' numbers
    Nodes removed{};                                // from what a stream's next work depends on, by the user

    Member *member(const Stream &stream) {
        const auto entry = members.find(stream.id);
        return entry == members.end() || stream.kind == StreamKind::legacy ? nullptr : &entry->second;
    }
    [[noreturn]] void refuse(Status status) {
        valid = false;
        throw Refused(status);
    }
};

namespace {

enum Mode { global, of_thread, relaxed, by_hand }; // by_hand: makes one node, other calls don't see it

// The captures under way, guarded by graphs_mutex().
std::vector<std::shared_ptr<Capture>> &active() {
    static auto *list = new std::vector<std::shared_ptr<Capture>>;
    return *list;
}
unsigned long long last_id = 0;

bool none() { return !captures_under_way.load(std::memory_order_acquire); }

std::shared_ptr<Capture> capture_of(const Stream &stream) {
    for (const std::shared_ptr<Capture> &one : active()) {
        if (one->member(stream)) return one;
    }
    return nullptr;
}

// A capture with a stream that the legacy stream would wait for.
std::shared_ptr<Capture> implied_by(const Stream &stream) {
    if (stream.kind != StreamKind::legacy) return nullptr;
    for (const std::shared_ptr<Capture> &one : active()) {
        for (const auto &[id, member] : one->members) {
            if (member.blocking && member.device == stream.device) return one;
        }
    }
    return nullptr;
}

// Throws, and ends the captures that forbid it, if this thread may make no unsafe call now.
void forbid_unsafe() {
    const ThreadState &state = thread();
    if (state.capture_mode == relaxed) return;
    bool any = false;
    for (const std::shared_ptr<Capture> &one : active()) {
        const bool mine = one->thread == state.number && one->mode < relaxed;
        if (!mine && (state.capture_mode != global || one->mode != global)) continue;
        one->valid = false;
        any = true;
    }
    if (any) throw Refused(Status::capture_unsupported);
}

bool is_late() {
    const Call *call = thread().call;
    return call && call->guard == Guard::unsafe_late;
}

// The stream's valid capture, null where it has none.
std::shared_ptr<Capture> valid_capture(const Stream &stream) {
    if (const auto implied = implied_by(stream)) implied->refuse(Status::capture_implicit);
    std::shared_ptr<Capture> capture = capture_of(stream);
    if (capture && !capture->valid) throw Refused(Status::capture_invalidated);
    if (!capture && is_late()) forbid_unsafe();
    return capture;
}

void add(Nodes &to, std::shared_ptr<Node> one) {
    if (one && std::ranges::find(to, one) == to.end()) to.push_back(std::move(one));
}

// Whether the origin's next work would come after all captured work of the other streams. Nodes that
// UpdateCaptureDependencies took out need not be joined (the manual of cudaStreamUpdateCaptureDependencies;
// hipStreamEndCapture_common() of ROCm/clr).
bool is_joined(const Capture &capture) {
    std::unordered_set<const Node *> before;
    std::vector<const Node *> open;
    for (const auto &node : capture.members.at(capture.origin).after) open.push_back(node.get());
    for (const auto &node : capture.removed) open.push_back(node.get());
    while (!open.empty()) {
        const Node *const node = open.back();
        open.pop_back();
        if (before.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
    }
    return std::ranges::all_of(capture.members, [&](const auto &one) {
        return std::ranges::all_of(one.second.after,
                                   [&](const auto &node) { return before.count(node.get()); });
    });
}

class AllCaptures final : public Captures {
public:
    bool captures(const Stream &stream) override {
        std::lock_guard lock(graphs_mutex());
        return valid_capture(stream) != nullptr;
    }
    bool becomes_node(const Stream &stream, std::unique_ptr<Work> &work) override {
        std::lock_guard lock(graphs_mutex());
        const auto capture = valid_capture(stream);
        if (!capture) return false;
        if (work->plan && !can_hold(*capture->graph, work->plan->depth))
            capture->refuse(Status::invalid_value);
        Nodes &after = capture->member(stream)->after, next(1); // allocates before anything changes
        next[0] = work->plan ? add_child(*capture->graph, graph_of(*work->plan), after, stream.device)
                             : add_node(*capture->graph, std::move(work), after, stream.device);
        after.swap(next);
        return true;
    }
    void leave(const Stream &stream) override;
};

// The captures changed: streams ask about them only while there are some.
void note_captures() {
    static AllCaptures all;
    captures_under_way.store(active().empty() ? nullptr : &all, std::memory_order_release);
}

// Ends a capture. Returns its graph: the last reference to it must not be released with the lock held.
std::shared_ptr<Graph> finish(Capture &capture) {
    capture.active = false;
    capture.members.clear();
    capture.removed.clear();
    --capture.graph->captures;
    std::erase_if(active(), [&](const auto &one) { return one.get() == &capture; });
    note_captures();
    return std::move(capture.graph);
}

void AllCaptures::leave(const Stream &stream) {
    std::shared_ptr<Graph> graph; // released without the lock
    std::lock_guard lock(graphs_mutex());
    const auto capture = capture_of(stream);
    if (!capture || capture->origin != stream.id) return;
    graph = finish(*capture);
    if (capture->owns_graph) retire(*graph);
}

} // namespace

void refuse_captured(const Stream &stream) {
    if (none()) return;
    std::lock_guard lock(graphs_mutex());
    if (const auto capture = valid_capture(stream)) capture->refuse(Status::capture_unsupported);
}

void refuse_captured(int device) {
    if (none()) return;
    std::lock_guard lock(graphs_mutex());
    bool any = false;
    for (const std::shared_ptr<Capture> &one : active()) {
        for (const auto &[id, member] : one->members) {
            if (member.device != device || one->mode == by_hand) continue;
            one->valid = false;
            any = true;
        }
    }
    if (any) throw Refused(Status::capture_unsupported);
}

void refuse_implied_on_cuda(const Stream &stream) {
    if (none() || on_hip()) return;
    std::lock_guard lock(graphs_mutex());
    if (const auto implied = implied_by(stream)) implied->refuse(Status::capture_implicit);
}

void refuse_captured(const Captured &event) {
    std::lock_guard lock(graphs_mutex());
    event.capture->refuse(Status::captured_event);
}

void refuse_unsafe() {
    if (none()) return;
    std::lock_guard lock(graphs_mutex());
    forbid_unsafe();
}

void refuse_unsafe_late() {
    if (is_late()) refuse_unsafe();
}

std::shared_ptr<const Captured> capture_point(const Stream &stream) {
    if (none()) return nullptr;
    std::lock_guard lock(graphs_mutex());
    auto capture = valid_capture(stream);
    if (!capture) return nullptr;
    auto captured = std::make_shared<Captured>();
    const Nodes &after = capture->member(stream)->after;
    captured->nodes.assign(after.begin(), after.end());
    captured->capture = std::move(capture);
    return captured;
}

bool joins(const Stream &stream, const Captured *event) {
    if (!event && none()) return false;
    std::lock_guard lock(graphs_mutex());
    const auto mine = capture_of(stream);
    if (mine && !mine->valid) throw Refused(Status::capture_invalidated);
    if (!event) {
        if (!mine) return false;
        mine->refuse(Status::capture_isolation);
    }
    Capture &its = *event->capture;
    if (!its.active) {
        if (mine) mine->refuse(Status::capture_isolation);
        throw Refused(Status::captured_event);
    }
    if (!its.valid) {
        if (mine) mine->valid = false;
        throw Refused(Status::invalid_value); // as drivers do (ROCm/rocm-systems, pull request 11589)
    }
    if (mine && mine.get() != &its) {
        mine->valid = false;
        its.refuse(Status::capture_merge);
    }
    if (stream.kind == StreamKind::legacy) its.refuse(Status::capture_implicit);
    Capture::Member &member = its.members[stream.id];
    member.device = stream.device;
    member.blocking = stream.blocking();
    for (const std::weak_ptr<Node> &one : event->nodes) add(member.after, one.lock());
    return true;
}

namespace {

Status begin(const Stream &stream, int mode, std::shared_ptr<Graph> graph, const Nodes &after) {
    auto capture = std::make_shared<Capture>();
    capture->owns_graph = !graph;
    capture->graph = graph ? std::move(graph) : make_graph();
    capture->origin = stream.id;
    capture->mode = mode;
    capture->thread = thread().number;
    capture->members[stream.id] = {after, stream.device, stream.blocking()};
    std::lock_guard lock(graphs_mutex());
    if (capture_of(stream)) {
        if (capture->owns_graph) retire(*capture->graph);
        return Status::illegal_state;
    }
    const bool taken = std::ranges::any_of(active(), [&](const std::shared_ptr<Capture> &one) {
        return one->mode != by_hand && one->graph == capture->graph;
    });
    if (taken && mode != by_hand && !on_hip()) return Status::illegal_state;
    // Another thread may have destroyed them meanwhile.
    if (!graphs().find(capture->graph->handle)) return Status::invalid_value;
    for (const auto &node : after) {
        if (node->graph != capture->graph.get()) return Status::invalid_value;
    }
    active().push_back(capture);
    ++capture->graph->captures;
    capture->id = ++last_id;
    note_captures();
    return Status::success;
}

} // namespace

Status begin_capture(const Stream &stream, int mode, std::shared_ptr<Graph> graph, const Nodes &after) {
    if (mode < global || mode > relaxed) return Status::invalid_value;
    if (stream.kind == StreamKind::legacy) return Status::capture_unsupported;
    return begin(stream, mode, std::move(graph), after);
}

bool captures_into_given(const Stream &stream) {
    if (none() || on_hip()) return false; // AMD's always wants to return it
    std::lock_guard lock(graphs_mutex());
    const auto capture = capture_of(stream);
    return capture && !capture->owns_graph;
}

Status end_capture(const Stream &stream, std::shared_ptr<Graph> &graph) {
    if (none()) return Status::illegal_state;
    std::shared_ptr<Graph> ended; // released without the lock
    std::lock_guard lock(graphs_mutex());
    const auto capture = capture_of(stream);
    if (!capture) return Status::illegal_state;
    const bool wrong_thread = capture->mode != relaxed && capture->thread != thread().number;
    if (capture->origin != stream.id || wrong_thread) {
        const bool own = capture->origin == stream.id;
        const Status status = own ? Status::capture_wrong_thread : Status::capture_unmatched;
        if (on_hip()) return status; // the capture continues: hipStreamEndCapture_common() of ROCm/clr
        if (!own) capture->refuse(status);
        ended = finish(*capture);
        if (capture->owns_graph) retire(*ended);
        return status;
    }
    const bool joined = capture->valid && is_joined(*capture);
    ended = finish(*capture);
    if (joined) {
        graph = std::move(ended);
        return Status::success;
    }
    if (capture->owns_graph) retire(*ended);
    return capture->valid ? Status::capture_unjoined : Status::capture_invalidated;
}

Status capture_state(const Stream &stream, CaptureState &state) {
    state = {};
    if (none()) return Status::success;
    std::lock_guard lock(graphs_mutex());
    if (implied_by(stream)) return Status::capture_implicit; // the capture stays whole
    const auto capture = capture_of(stream);
    if (!capture) return Status::success;
    state.status = capture->valid ? 1 : 2;
    if (!capture->valid) return Status::success;
    Capture::Member &member = *capture->member(stream);
    member.last_reported.clear();
    for (const auto &node : member.after) member.last_reported.push_back(node->handle);
    member.edges.assign(member.last_reported.size(), 0);
    state.id = capture->id;
    state.graph = capture->graph->handle;
    state.nodes = member.last_reported.data();
    state.edges = member.edges.data();
    state.count = member.last_reported.size();
    return Status::success;
}

Status set_capture_nodes(const Stream &stream, const Nodes &nodes, bool keep) {
    std::lock_guard lock(graphs_mutex());
    const auto capture = valid_capture(stream);
    if (!capture) return Status::illegal_state;
    for (const auto &node : nodes) {
        if (node->graph != capture->graph.get()) return Status::invalid_value;
    }
    Nodes &after = capture->member(stream)->after, next;
    if (keep) next = after;
    for (const auto &node : nodes) add(next, node);
    for (const auto &node : after) { // allocates before anything changes
        if (std::ranges::find(next, node) == next.end()) add(capture->removed, node);
    }
    after.swap(next);
    return Status::success;
}

std::shared_ptr<Node> add_submitted(const std::shared_ptr<Graph> &graph, const Nodes &after, int device,
                                    Status (*body)(const std::shared_ptr<Stream> &, void *), void *argument,
                                    Status &status) {
    const auto stream = std::make_shared<Stream>(StreamKind::created, device, 1, 0);
    status = begin(*stream, by_hand, graph, after);
    if (status != Status::success) return nullptr;
    status = caught([&] { return body(stream, argument); });
    std::lock_guard lock(graphs_mutex());
    const std::shared_ptr<Capture> capture = capture_of(*stream);
    const Nodes &last = capture->member(*stream)->after;
    std::shared_ptr<Node> node = last == after || last.empty() ? nullptr : last.front();
    finish(*capture);
    return node;
}

} // namespace pygpu::host
