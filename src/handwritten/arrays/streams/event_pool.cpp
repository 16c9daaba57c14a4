// The store of events.
#include "arrays/streams/event_pool.hpp"

#include "arrays/streams/captures.hpp"
#include "python/gil.hpp"
#include "runtime/device_state.hpp"

#include <vector>

namespace pygpu::arrays {
namespace {

struct Store {
    std::vector<Event> free;

    void forget() { free.clear(); }
};

constexpr std::size_t most_cached = 64;

} // namespace

int take_event(const Runtime &runtime, Scope &scope, Event &event) {
    event = nullptr;
    if (!in_child()) {
        const DeviceState<Store> store(scope.device());
        if (!store->free.empty()) {
            event = store->free.back();
            store->free.pop_back();
            return success;
        }
    }
    return scope(runtime.event_create(&event, false));
}

void give_event(const Runtime &runtime, Event event, int device) {
    if (!event || in_child()) return;
    if (!DeviceState<Store>::is_current(device)) return; // it was taken before a reset, which has ended it
    {
        const DeviceState<Store> store(device);
        if (store->free.size() < most_cached) {
            store->free.push_back(event);
            return;
        }
    }
    Scope scope(runtime, device);
    scope(runtime.event_destroy(event));
}

int free_cached_events(const Runtime &runtime, Scope &scope) {
    if (scope.status() || in_child()) return scope.status();
    std::vector<Event> events;
    {
        const DeviceState<Store> store(scope.device());
        events.swap(store->free);
    }
    int status = success;
    for (Event event : events)
        if (const int destroyed = scope(runtime.event_destroy(event)); !status) status = destroyed;
    return status;
}

int query_stream(const Runtime &runtime, Scope &scope, Stream stream) {
    // The thread's own default stream: another thread can't ask for it.
    if (!stream && runtime.api.per_thread) return scope(runtime.stream_query(stream));
    return scope.expect([&] { return runtime.stream_query(stream); });
}

int query_event(const Runtime &runtime, Scope &scope, Event event) {
    return scope.expect([&] { return runtime.event_query(event); });
}

int order(const Runtime &runtime, Scope &scope, Stream later, Stream earlier, int earlier_device) {
    // These calls wait if a stream's queue is full, and the device may itself wait for Python code.
    GilReleased released(true);
    const int device = scope.device();
    Event event = nullptr;
    int status = refuse_capture(runtime, scope, later);
    if (!status) status = scope.change(earlier_device);
    if (!status) status = refuse_capture(runtime, scope, earlier);
    // A wait for an event of another device costs the stream some microseconds. A query saves that if all
    // work there is done.
    if (!status && earlier_device != device && query_stream(runtime, scope, earlier) == success)
        return scope.change(device);
    if (!status) status = take_event(runtime, scope, event);
    if (!status) status = scope(runtime.event_record(event, earlier));
    const int changed = scope.change(device);
    if (!status) status = changed;
    if (!status) status = scope(runtime.stream_wait(later, event));
    give_event(runtime, event, earlier_device);
    return status;
}

} // namespace pygpu::arrays
