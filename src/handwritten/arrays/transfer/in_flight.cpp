// The list of copies that are under way.
#include "arrays/transfer/in_flight.hpp"

#include "arrays/streams/after_wait.hpp"
#include "arrays/streams/event_pool.hpp"
#include "python/gil.hpp"
#include "runtime/generation.hpp"

#include <deque>
#include <iterator>
#include <list>
#include <memory>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

// An event recorded after a copy. Shared: the event is reused once no thread waits for it.
class RecordedEvent {
public:
    RecordedEvent(const Runtime &runtime, Event event, int device)
        : runtime_(runtime), event_(event), device_(device), generation_(generation_of(device)) {}
    ~RecordedEvent() {
        if (!is_over()) give_event(runtime_, event_, device_);
    }
    RecordedEvent(const RecordedEvent &) = delete;
    RecordedEvent &operator=(const RecordedEvent &) = delete;

    bool is_over() const { return generation_ != generation_of(device_); } // by a fork or a reset

    int query() const {
        if (is_over()) return success;
        Scope scope(runtime_, device_);
        return scope.status() ? scope.status() : query_event(runtime_, scope, event_);
    }
    int synchronize() const {
        if (is_over()) return success;
        Scope scope(runtime_, device_);
        return scope.status() ? scope.status() : scope(runtime_.event_synchronize(event_));
    }
    const Runtime &runtime() const { return runtime_; }

private:
    const Runtime &runtime_;
    const Event event_;
    const int device_;
    const DeviceGeneration generation_;
};

struct Copy {
    std::shared_ptr<const RecordedEvent> event;
    Reference object;
    Reference owner; // of the memory: the last base
    StagingBuffer staging;
};

// The copies on one stream, the oldest first: mostly they are done in this order. Where a stream was
// destroyed and another one has its address both are here, so that one which is done says nothing for those
// before.
struct StreamCopies {
    Stream stream;
    int device;
    std::deque<Copy> copies;
};

// For ever: what is under way at exit stays so. Guarded by the GIL.
std::list<StreamCopies> &all_copies() {
    static auto *list = new std::list<StreamCopies>;
    return *list;
}

StreamCopies &copies_on(Stream stream, int device) {
    for (StreamCopies &on_stream : all_copies()) {
        if (on_stream.stream == stream && on_stream.device == device) return on_stream;
    }
    return all_copies().emplace_back(StreamCopies{stream, device, {}});
}

// The object at the end of a numpy array's chain of bases.
Reference owner_of(PyObject *array) {
    Reference owner = Reference::borrow(array);
    for (int depth = 0; array && depth < 100; ++depth) {
        Reference base(PyObject_GetAttrString(owner.get(), "base"));
        if (!base) PyErr_Clear();
        if (!base || base.get() == Py_None) break;
        owner = std::move(base);
    }
    return owner;
}

// Moves the copies of a stream that are done to `done`, up to the first that is not. Those whose query fails
// stay, to be queried again.
void take_done(StreamCopies &on_stream, std::vector<Copy> &done) {
    for (auto at = on_stream.copies.begin(); at != on_stream.copies.end();) {
        const int status = at->event->query();
        if (status == not_ready) return;
        if (status) {
            ++at;
            continue;
        }
        done.push_back(std::move(*at));
        at = on_stream.copies.erase(at);
    }
}

} // namespace

int keep_until_done(Scope &scope, const Runtime &runtime, Stream stream, PyObject *object,
                    StagingBuffer &&staging) {
    Event event = nullptr;
    int status = success;
    {
        GilReleased released(true); // a stream that is full lets wait
        status = take_event(runtime, scope, event);
        if (!status) status = scope(runtime.event_record(event, stream));
    }
    if (!status) {
        after_wait = release_done;
        Reference owner = owner_of(object);
        copies_on(stream, scope.device())
            .copies.push_back({std::make_shared<RecordedEvent>(runtime, event, scope.device()),
                               Reference::borrow(object), std::move(owner), std::move(staging)});
        return success;
    }
    if (event) give_event(runtime, event, scope.device());
    int waited = success;
    {
        GilReleased released(true);
        waited = scope(runtime.stream_synchronize(stream));
    }
    if (waited) {
        Py_XINCREF(object);
        new StagingBuffer(std::move(staging));
    }
    return status;
}

void release_done() {
    std::list<StreamCopies> &list = all_copies();
    if (list.empty()) return;
    std::vector<Copy> done; // their end may run Python code, which may come back here
    for (auto at = list.begin(); at != list.end();) {
        take_done(*at, done);
        at = at->copies.empty() ? list.erase(at) : std::next(at);
    }
}

bool host_is_ready(PyObject *array, bool wait, bool &failed) {
    failed = false;
    const Reference owner = owner_of(array);
    std::vector<std::shared_ptr<const RecordedEvent>> events; // shared: the list may change without the GIL
    for (const StreamCopies &on_stream : all_copies()) {
        for (const Copy &copy : on_stream.copies) {
            if (copy.owner.get() == owner.get()) events.push_back(copy.event);
        }
    }
    int status = success;
    const RecordedEvent *last = nullptr;
    {
        GilReleased released(wait && !events.empty());
        for (auto at = events.rbegin(); at != events.rend() && !status; ++at) { // the newest is done last
            last = at->get();
            status = wait ? last->synchronize() : last->query();
        }
    }
    if (!status) release_done(); // this copy is, at least
    failed = status && status != not_ready;
    if (failed) raise_status(last->runtime(), status, wait ? "wait()" : "ready()");
    return !status;
}

} // namespace pygpu::arrays
