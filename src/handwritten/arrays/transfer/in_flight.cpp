// The list of copies that are under way, and keeping the objects of captured copies with their graph.
#include "arrays/transfer/in_flight.hpp"

#include "arrays/streams/after_wait.hpp"
#include "arrays/transfer/recorded_event.hpp"
#include "python/gil.hpp"
#include "runtime/api.hpp"
#include "types/callbacks/capture.hpp"

#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace pygpu::arrays {
namespace {

using SharedEvent = std::shared_ptr<const RecordedEvent>; // shared with threads that wait for it

struct Copy {
    SharedEvent event;
    Reference object;
    Reference owner; // the owner of the memory: the last base of `object`
    StagingBuffer staging;
};

// The copies on each stream of a device, the oldest first. They are mostly done in this order. But if a new
// stream has the address of a destroyed one, the copies of both are in one list. So a finished copy does not
// prove that earlier ones in the list are finished.
using Copies = std::map<std::pair<Stream, int>, std::deque<Copy>>;

// Never destroyed, because copies may be under way at exit. Guarded by the GIL.
Copies &all_copies() {
    static auto *all = new Copies;
    return *all;
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

int ask(const RecordedEvent &event, bool wait) {
    if (event.is_over()) return success;
    Scope scope(event.runtime, event.device);
    return scope.status() ? scope.status() : event.ask(scope, wait);
}

// Moves the finished copies of a stream to `done`, up to the first that is not finished. Copies whose query
// fails stay in the list, and are queried again later.
void take_done(std::deque<Copy> &copies, std::vector<Copy> &done) {
    for (auto at = copies.begin(); at != copies.end();) {
        const int status = ask(*at->event, false);
        if (status == at->event->runtime.codes.not_ready) return;
        if (!status) done.push_back(std::move(*at));
        at = status ? at + 1 : copies.erase(at);
    }
}

} // namespace

int keep_until_done(Scope &scope, Stream stream, PyObject *object, StagingBuffer &&staging) {
    SharedEvent event;
    int waited = success;
    {
        GilReleased released(true); // this call waits if the stream's queue is full
        event = std::make_shared<RecordedEvent>(scope, stream);
        if (event->status()) waited = scope(scope.runtime().stream_synchronize(stream));
    }
    const int status = event->status();
    if (!status) {
        after_wait = release_done;
        Reference owner = owner_of(object);
        all_copies()[{stream, scope.device()}].push_back(
            {std::move(event), Reference::borrow(object), std::move(owner), std::move(staging)});
    } else if (waited) {
        Py_XINCREF(object);
        new StagingBuffer(std::move(staging));
    }
    return status;
}

void release_done() {
    Copies &all = all_copies();
    if (all.empty()) return;
    std::vector<Copy> done; // their end may run Python code, which may call this function again
    for (auto at = all.begin(); at != all.end();) {
        take_done(at->second, done);
        at = at->second.empty() ? all.erase(at) : std::next(at);
    }
}

bool host_is_ready(PyObject *array, bool wait, bool &failed) {
    const Reference owner = owner_of(array);
    std::vector<SharedEvent> events; // the list may change without the GIL
    for (const auto &[stream, copies] : all_copies()) {
        for (const Copy &copy : copies) {
            if (copy.owner.get() == owner.get()) events.push_back(copy.event);
        }
    }
    int status = success;
    const RecordedEvent *last = nullptr;
    {
        GilReleased released(wait && !events.empty());
        for (auto at = events.rbegin(); at != events.rend() && !status; ++at) { // the newest is done last
            last = at->get();
            status = ask(*last, wait);
        }
    }
    if (!status) release_done(); // at least the copies of this array are done
    failed = status && status != last->runtime.codes.not_ready;
    if (failed) raise_status(last->runtime, status, wait ? "wait()" : "ready()");
    return !status;
}

void keep_by_graph(const Runtime &runtime, Stream stream, Captured &&captured) {
    auto *owned = new Captured(std::move(captured)); // never freed, unless the capsule ends it
    const Reference capsule(PyCapsule_New(owned, nullptr, [](PyObject *self) {
        delete static_cast<Captured *>(PyCapsule_GetPointer(self, nullptr));
    }));
    if (!capsule) {
        PyErr_Clear();
        return;
    }
    const Token token = pygpu::remember(capsule.get(), Py_None, nullptr, false);
    if (void *graph = captured_graph(runtime.api, stream, runtime.api.per_thread))
        pygpu::keep_by_graph(runtime.api, graph, token);
}

} // namespace pygpu::arrays
