// Streams by C's handles, and the default streams.
#pragma once

#include "base/handles.hpp"
#include "streams/stream.hpp"

#include <memory>

namespace pygpu::host {

Handles<Stream> &streams();

// The priorities that streams may have, by the vendor of the running call: as an H200 and AMD's runtime
// report them.
struct Priorities {
    int least, greatest;
};
Priorities priorities();

std::shared_ptr<Stream> make_stream(StreamKind kind, int device, unsigned flags, int priority);

// The green context in which a stream's work runs, null where it has none: a default stream's is the current
// one.
std::shared_ptr<Context> green_context_of(const Stream &stream);

// A stream's number for watchers; 0 is the default stream.
unsigned long long number_of(const Stream &stream);

// The stream that a C handle names in this call. The handle may be null or one of the two special values.
// Returns null for a stale handle.
std::shared_ptr<Stream> stream_of(const void *handle);

} // namespace pygpu::host
