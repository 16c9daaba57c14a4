// Pool of events for ordering streams among each other.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// An event without timing on the scope's device. `event` stays null on failure.
int take_event(const Runtime &runtime, Scope &scope, Event &event);

// The event may be used again: what waits for it has been queued, or it has happened.
void give_event(const Runtime &runtime, Event event, int device);

// Whether all that is queued on a stream is done, or not_ready, which no other code sees as the last error.
int query_stream(const Runtime &runtime, Scope &scope, Stream stream);

// Whether an event has happened, in the same way.
int query_event(const Runtime &runtime, Scope &scope, Event event);

// Work queued on `later` from now on comes after what is queued on `earlier`, a stream of `earlier_device`.
// The scope's device is as before afterwards. Where one of the two is being captured it fails: an event
// between them would break the capture, or draw the other stream into it. With the GIL, which is released.
int order(const Runtime &runtime, Scope &scope, Stream later, Stream earlier, int earlier_device);

} // namespace pygpu::arrays
