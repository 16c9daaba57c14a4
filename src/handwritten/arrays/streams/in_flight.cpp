// The list of copies that are under way.
#include "arrays/streams/in_flight.hpp"

#include "arrays/streams/events.hpp"
#include "interpreter/gil.hpp"
#include "lifetime/epoch.hpp"

#include <deque>
#include <utility>

namespace pygpu::arrays {
namespace {

struct Flight {
    const Runtime *runtime;
    Event event;
    int device;
    Epoch epoch;
    Reference object;
    Reference owner; // what the memory belongs to in the end
    Staging staging;
};

// For ever: what is under way at exit stays so. Guarded by the GIL.
std::deque<Flight> &flights() {
    static auto *list = new std::deque<Flight>;
    return *list;
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

bool is_over(const Flight &flight) { return flight.epoch != epoch_of(flight.device); }

void land(Flight &flight) {
    if (!is_over(flight)) give_event(*flight.runtime, flight.event, flight.device);
}

} // namespace

int keep_until_done(Scope &scope, const Runtime &runtime, Stream stream, PyObject *object,
                    Staging &&staging) {
    Event event = nullptr;
    int status = take_event(runtime, scope, event);
    if (!status) status = scope(runtime.event_record(event, stream));
    if (status) {
        if (event) give_event(runtime, event, scope.device());
        GilGivenAway away(true);
        scope(runtime.stream_synchronize(stream));
        return status;
    }
    flights().push_back({&runtime, event, scope.device(), epoch_of(scope.device()), Reference::borrow(object),
                         owner_of(object), std::move(staging)});
    return success;
}

void let_go_of_done() {
    std::deque<Flight> &list = flights();
    while (!list.empty()) {
        Flight &first = list.front();
        if (!is_over(first)) {
            Scope scope(*first.runtime, first.device);
            if (scope.status() || scope(first.runtime->event_query(first.event))) return;
        }
        Flight done = std::move(first); // letting go may run Python code, which may come back here
        list.pop_front();
        land(done);
    }
}

bool host_is_ready(PyObject *array, bool wait, bool &failed) {
    failed = false;
    const Reference owner = owner_of(array);
    std::deque<Flight> &list = flights();
    for (std::size_t at = 0; at < list.size(); ++at) {
        const Flight &flight = list[at];
        if (flight.owner.get() != owner.get() || is_over(flight)) continue;
        const Runtime &runtime = *flight.runtime;
        const Event event = flight.event;
        const int device = flight.device;
        int status = success;
        {
            Scope scope(runtime, device);
            status = scope.status();
            if (!status) status = scope(runtime.event_query(event));
        }
        if (status == not_ready && !wait) return false;
        if (status == not_ready) {
            GilGivenAway away(true);
            Scope scope(runtime, device);
            status = scope(runtime.event_synchronize(event));
            at = static_cast<std::size_t>(-1); // the list may have changed meanwhile
        }
        if (status) {
            raise_status(runtime, status, wait ? "wait()" : "ready()");
            failed = true;
            return false;
        }
    }
    return true;
}

} // namespace pygpu::arrays
