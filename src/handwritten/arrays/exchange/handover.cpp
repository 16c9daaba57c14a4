// Ordering exports and imports, by events.
#include "arrays/exchange/handover.hpp"

#include "arrays/streams/event_pool.hpp"

namespace pygpu::arrays {

int order_to_home(Buffer &buffer) {
    if (!buffer.pointer) return success;
    const Buffer::Using using_it(buffer);
    if (buffer.is_settled(buffer.home())) {
        buffer.go_on_with_use(buffer.home(), buffer.device);
    } else {
        if (const int status = buffer.state()) return status;
        Scope scope(buffer.runtime, buffer.device);
        const int status = scope.status() ? scope.status() : buffer.begin_export(scope);
        if (status) return status;
    }
    buffer.let_be_used_anywhere(); // last, since it may wait
    return success;
}

int order_export(Buffer &buffer, Stream consumer) {
    if (const int status = order_to_home(buffer)) return status;
    if (!buffer.pointer || consumer == buffer.home()) return success;
    Scope scope(buffer.runtime, buffer.device);
    return scope.status() ? scope.status()
                          : order(buffer.runtime, scope, consumer, buffer.home(), buffer.device);
}

int wait_for_export(Buffer &buffer) {
    if (!buffer.pointer) return success;
    if (const int status = buffer.state()) return status;
    const int status = buffer.query(true);
    if (!status) buffer.let_be_used_anywhere();
    return status;
}

int order_import(const Runtime &runtime, int device, Stream consumer, Stream producer) {
    if (consumer == producer) return success;
    Scope scope(runtime, device);
    return scope.status() ? scope.status() : order(runtime, scope, consumer, producer, device);
}

} // namespace pygpu::arrays
