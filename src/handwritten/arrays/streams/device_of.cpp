// Asking for a stream's device, or finding it by trying.
#include "arrays/streams/device_of.hpp"

#include "arrays/base/scope.hpp"
#include "arrays/streams/captures.hpp"
#include "arrays/streams/event_pool.hpp"
#include "python/gil.hpp"

#include <atomic>

namespace pygpu::arrays {
namespace {

std::atomic<int> known_count{0}; // of devices; 0: not queried yet

int count_devices(const Runtime &runtime, Scope &scope) {
    int count = known_count.load(std::memory_order_relaxed);
    if (!count && !scope(runtime.device_count(&count))) known_count.store(count, std::memory_order_relaxed);
    return count;
}

// An event can be recorded on streams of its own device only.
bool takes_events(const Runtime &runtime, Scope &scope, Stream stream) {
    Event event = nullptr;
    if (refuse_capture(runtime, scope, stream) || take_event(runtime, scope, event)) return false;
    const bool taken = !scope(runtime.event_record(event, stream));
    give_event(runtime, event, scope.device());
    return taken;
}

} // namespace

int device_of(const Runtime &runtime, Stream stream) {
    if (is_default_stream(stream)) return any_device;
    if (known_count.load(std::memory_order_relaxed) == 1) return any_device;
    GilReleased released(true); // the first call starts the runtime, and recording an event may wait
    Scope scope(runtime);
    const int count = scope.status() ? 0 : count_devices(runtime, scope);
    int device = any_device;
    // CUDA ends a capture whose stream is asked for its device.
    if (count <= 1 || refuse_capture(runtime, scope, stream) ||
        !scope(runtime.stream_device(stream, &device)))
        return device;
    for (device = 0; device < count; ++device) {
        if (!scope.change(device) && takes_events(runtime, scope, stream)) return device;
    }
    return any_device;
}

} // namespace pygpu::arrays
