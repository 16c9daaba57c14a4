// The list of copies that are under way.
#include "arrays/transfer/in_flight.hpp"

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

// What a copy has left behind in its stream. Counted: the event serves others once nobody waits for it.
class Mark {
public:
    Mark(const Runtime &runtime, Event event, int device)
        : runtime_(runtime), event_(event), device_(device), generation_(generation_of(device)) {}
    ~Mark() {
        if (!is_over()) give_event(runtime_, event_, device_);
    }
    Mark(const Mark &) = delete;
    Mark &operator=(const Mark &) = delete;

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

struct Flight {
    std::shared_ptr<const Mark> mark;
    Reference object;
    Reference owner; // what the memory belongs to in the end
    StagingBuffer staging;
};

// The copies on one stream, the oldest first: mostly they are done in this order. Where a stream was
// destroyed and another one has its address both are here, so that one which is done says nothing for those
// before.
struct Lane {
    Stream stream;
    int device;
    std::deque<Flight> flights;
};

// For ever: what is under way at exit stays so. Guarded by the GIL.
std::list<Lane> &lanes() {
    static auto *list = new std::list<Lane>;
    return *list;
}

Lane &lane_of(Stream stream, int device) {
    for (Lane &lane : lanes()) {
        if (lane.stream == stream && lane.device == device) return lane;
    }
    return lanes().emplace_back(Lane{stream, device, {}});
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

// Moves what is done of a lane to `done`, up to the first that is not. What can't be asked about stays, to be
// asked again.
void take_done(Lane &lane, std::vector<Flight> &done) {
    for (auto at = lane.flights.begin(); at != lane.flights.end();) {
        const int status = at->mark->query();
        if (status == not_ready) return;
        if (status) {
            ++at;
            continue;
        }
        done.push_back(std::move(*at));
        at = lane.flights.erase(at);
    }
}

} // namespace

int keep_until_done(Scope &scope, const Runtime &runtime, Stream stream, PyObject *object,
                    StagingBuffer &&staging) {
    Event event = nullptr;
    int status = success;
    {
        GilGivenAway away(true); // a stream that is full lets wait
        status = take_event(runtime, scope, event);
        if (!status) status = scope(runtime.event_record(event, stream));
    }
    if (!status) {
        Reference owner = owner_of(object);
        lane_of(stream, scope.device())
            .flights.push_back({std::make_shared<Mark>(runtime, event, scope.device()),
                                Reference::borrow(object), std::move(owner), std::move(staging)});
        return success;
    }
    if (event) give_event(runtime, event, scope.device());
    int waited = success;
    {
        GilGivenAway away(true);
        waited = scope(runtime.stream_synchronize(stream));
    }
    if (waited) {
        Py_XINCREF(object);
        new StagingBuffer(std::move(staging));
    }
    return status;
}

void let_go_of_done() {
    std::list<Lane> &list = lanes();
    if (list.empty()) return;
    std::vector<Flight> done; // letting go may run Python code, which may come back here
    for (auto at = list.begin(); at != list.end();) {
        take_done(*at, done);
        at = at->flights.empty() ? list.erase(at) : std::next(at);
    }
}

bool host_is_ready(PyObject *array, bool wait, bool &failed) {
    failed = false;
    const Reference owner = owner_of(array);
    std::vector<std::shared_ptr<const Mark>> marks; // held, since the list may change while the GIL is away
    for (const Lane &lane : lanes()) {
        for (const Flight &flight : lane.flights) {
            if (flight.owner.get() == owner.get()) marks.push_back(flight.mark);
        }
    }
    int status = success;
    const Mark *asked = nullptr;
    {
        GilGivenAway away(wait && !marks.empty());
        for (auto at = marks.rbegin(); at != marks.rend() && !status; ++at) { // the newest is done last
            asked = at->get();
            status = wait ? asked->synchronize() : asked->query();
        }
    }
    failed = status && status != not_ready;
    if (failed) raise_status(asked->runtime(), status, wait ? "wait()" : "ready()");
    return !status;
}

} // namespace pygpu::arrays
