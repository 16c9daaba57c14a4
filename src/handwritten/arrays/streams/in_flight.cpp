// The list of copies that are under way.
#include "arrays/streams/in_flight.hpp"

#include "arrays/streams/events.hpp"
#include "interpreter/gil.hpp"
#include "lifetime/epoch.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <list>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

struct Flight {
    Event event;
    Reference object;
    Reference owner; // what the memory belongs to in the end
    Staging staging;
};

// The copies on one stream, the oldest first: they are done in this order.
struct Lane {
    const Runtime *runtime;
    Stream stream;
    int device;
    Epoch epoch;
    std::deque<Flight> flights;

    bool is_over() const { return epoch != epoch_of(device); }
};

// For ever: what is under way at exit stays so. Guarded by the GIL.
std::list<Lane> &lanes() {
    static auto *list = new std::list<Lane>;
    return *list;
}

Lane &lane_of(const Runtime &runtime, Stream stream, int device) {
    const Epoch now = epoch_of(device);
    for (Lane &lane : lanes()) {
        if (lane.stream == stream && lane.device == device && lane.epoch == now) return lane;
    }
    return lanes().emplace_back(Lane{&runtime, stream, device, now, {}});
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

int query(const Runtime &runtime, Event event, int device) {
    Scope scope(runtime, device);
    return scope.status() ? scope.status() : query_event(runtime, scope, event);
}

// How many copies of a lane are done. One that can't be asked about is known by those after it.
std::size_t count_done(const Lane &lane) {
    if (lane.is_over()) return lane.flights.size();
    std::size_t done = 0;
    for (std::size_t at = 0; at < lane.flights.size(); ++at) {
        const int status = query(*lane.runtime, lane.flights[at].event, lane.device);
        if (status == not_ready) break;
        if (!status) done = at + 1;
    }
    return done;
}

} // namespace

int keep_until_done(Scope &scope, const Runtime &runtime, Stream stream, PyObject *object,
                    Staging &&staging) {
    Event event = nullptr;
    int status = take_event(runtime, scope, event);
    if (!status) status = scope(runtime.event_record(event, stream));
    if (!status) {
        Reference owner = owner_of(object);
        lane_of(runtime, stream, scope.device())
            .flights.push_back({event, Reference::borrow(object), std::move(owner), std::move(staging)});
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
        new Staging(std::move(staging));
    }
    return status;
}

void let_go_of_done() {
    std::list<Lane> &list = lanes();
    if (list.empty()) return;
    std::vector<Flight> done; // letting go may run Python code, which may come back here
    for (auto at = list.begin(); at != list.end();) {
        Lane &lane = *at;
        const bool over = lane.is_over();
        for (std::size_t count = count_done(lane); count; --count) {
            if (!over) give_event(*lane.runtime, lane.flights.front().event, lane.device);
            done.push_back(std::move(lane.flights.front()));
            lane.flights.pop_front();
        }
        at = lane.flights.empty() ? list.erase(at) : std::next(at);
    }
}

bool host_is_ready(PyObject *array, bool wait, bool &failed) {
    failed = false;
    const Reference owner = owner_of(array);
    for (;;) {
        // The last one of each lane says it for those before.
        const Lane *pending = nullptr;
        Event event = nullptr;
        int status = success;
        for (const Lane &lane : lanes()) {
            if (lane.is_over()) continue;
            auto of_owner = [&](const Flight &flight) { return flight.owner.get() == owner.get(); };
            const auto last = std::find_if(lane.flights.rbegin(), lane.flights.rend(), of_owner);
            if (last == lane.flights.rend()) continue;
            pending = &lane;
            event = last->event;
            status = query(*lane.runtime, event, lane.device);
            if (status) break;
        }
        if (!status) return true;
        if (status == not_ready && !wait) return false;
        const Runtime &runtime = *pending->runtime;
        if (status == not_ready) {
            const int device = pending->device; // the list may change meanwhile
            GilGivenAway away(true);
            Scope scope(runtime, device);
            status = scope.status() ? scope.status() : scope(runtime.event_synchronize(event));
        }
        if (status) {
            raise_status(runtime, status, wait ? "wait()" : "ready()");
            failed = true;
            return false;
        }
    }
}

} // namespace pygpu::arrays
