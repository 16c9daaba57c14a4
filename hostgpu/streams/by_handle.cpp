// Making streams, and each thread's own default streams.
#include "streams/by_handle.hpp"

#include "base/call.hpp"
#include "base/context.hpp"
#include "base/process.hpp"
#include "base/thread.hpp"

#include <cstdint>
#include <map>

namespace pygpu::host {
namespace {

// The per-thread default streams of a thread, by device.
struct OwnStreams {
    std::map<int, std::shared_ptr<Stream>> by_device;

    ~OwnStreams() {
        if (process.forked) return; // other threads may have held the streams' locks
        for (auto &[device, stream] : by_device) stream->close();
    }
};

const std::shared_ptr<Stream> &own_stream() {
    thread_local OwnStreams own;
    const int device = thread().device;
    std::shared_ptr<Stream> &stream = own.by_device[device];
    if (!stream) stream = make_stream(StreamKind::per_thread, device, 0, 0);
    return stream;
}

} // namespace

Handles<Stream> &streams() {
    static auto *handles = new Handles<Stream>;
    return *handles;
}

Priorities priorities() { return on_hip() ? Priorities{1, -1} : Priorities{0, -5}; }

std::shared_ptr<Stream> make_stream(StreamKind kind, int device, unsigned flags, int priority) {
    auto stream = std::make_shared<Stream>(kind, device, flags, priority);
    stream->context = context_for(device);
    if (kind == StreamKind::created) stream->green = current_green_context(device);
    stream->member.enter(streams_of(device).all);
    return stream;
}

std::shared_ptr<Context> green_context_of(const Stream &stream) {
    return stream.kind == StreamKind::created ? stream.green : current_green_context(stream.device);
}

unsigned long long number_of(const Stream &stream) {
    return stream.kind == StreamKind::legacy ? 0 : stream.id;
}

std::shared_ptr<Stream> stream_of(const void *handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    const auto legacy = [] { return streams_of(thread().device).legacy; };
    if (value == 0) return thread().per_thread ? own_stream() : legacy();
    if (value == 1) return legacy();
    if (value == 2) return own_stream();
    return streams().find(handle);
}

} // namespace pygpu::host
