// An event of the pool behind what a stream has to do.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/streams/event_pool.hpp"
#include "runtime/generation.hpp"

namespace pygpu::arrays {

// Goes back to the pool in the end: nobody waits for it any more.
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

    int status() const { return status_; }                                // of its recording
    bool is_over() const { return generation_ != generation_of(device); } // by a fork or a reset

    // Success once it has happened; without `wait` not_ready before.
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
