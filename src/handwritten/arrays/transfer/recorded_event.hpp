// An event of the pool that is recorded after all queued work of a stream.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/streams/event_pool.hpp"
#include "runtime/generation.hpp"

namespace pygpu::arrays {

// The destructor gives the event back to the pool. Nobody may wait for it any more then.
class RecordedEvent {
public:
    RecordedEvent(Scope &scope, Stream stream)
        : runtime(scope.runtime()), device(scope.device()), generation_(generation_of(device)) {
        status_ = take_event(runtime, scope, event_);
        if (!status_) status_ = scope(runtime.event_record(event_, stream));
    }
    ~RecordedEvent() {
        if (!is_over()) give_event(runtime, event_, device);
    }
    RecordedEvent(const RecordedEvent &) = delete;
    RecordedEvent &operator=(const RecordedEvent &) = delete;

    int status() const { return status_; }                                // of recording it
    bool is_over() const { return generation_ != generation_of(device); } // by a fork or a reset

    // Success if it has happened, else not_ready. With `wait` it waits for that.
    int ask(Scope &scope, bool wait) const {
        return wait ? scope(runtime.event_synchronize(event_)) : query_event(runtime, scope, event_);
    }

    const Runtime &runtime;
    const int device;

private:
    const DeviceGeneration generation_;
    Event event_ = nullptr;
    int status_;
};

} // namespace pygpu::arrays
