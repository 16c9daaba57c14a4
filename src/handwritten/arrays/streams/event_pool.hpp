// Pool of events, for making one stream wait for another.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"

namespace pygpu::arrays {

// An event without timing on the scope's device. `event` stays null on failure.
int take_event(const Runtime &runtime, Scope &scope, Event &event);

// Gives an event back for reuse. All waits for it must be queued already, or it must have happened.
void give_event(const Runtime &runtime, Event event, int device);

// Destroys the events of the scope's device that are kept for reuse.
int free_cached_events(const Runtime &runtime, Scope &scope);

// Success if all queued work of a stream is done, else not_ready. No other code sees not_ready as the last
// error.
int query_stream(const Runtime &runtime, Scope &scope, Stream stream);

// The same for an event.
int query_event(const Runtime &runtime, Scope &scope, Event event);

// Makes new work on stream `later` come after all queued work of stream `earlier`, which is a stream of
// `earlier_device`. The scope's device is the same afterwards. Fails if one of the two streams is being
// captured: an event between them would break the capture, or make the other stream part of it. With the GIL,
// which is released.
int order(const Runtime &runtime, Scope &scope, Stream later, Stream earlier, int earlier_device);

} // namespace pygpu::arrays
