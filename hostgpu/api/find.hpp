// From C's handles to objects; a stale one is reported in strict mode.
#pragma once

#include "base/call.hpp"
#include "base/context.hpp"
#include "base/types.hpp"
#include "image/array.hpp"
#include "memory/misuse.hpp"
#include "memory/pool.hpp"
#include "streams/by_handle.hpp"
#include "streams/event.hpp"

namespace pygpu::host {

// The status for a handle whose object is gone. NVIDIA's driver reads freed memory in this case, and mostly
// answers so; HIP looks the handle up.
inline Status gone_stream(const void *handle) {
    if (!handle) return Status::invalid_resource_handle;
    if (streams().find(handle)) return Status::context_is_destroyed; // its green context is gone
    return current_vendor() == Vendor::hip ? Status::context_is_destroyed : Status::device_uninitialized;
}

inline Status gone_event(const void *handle) {
    const bool looked_up = !handle || current_vendor() == Vendor::hip;
    return looked_up ? Status::invalid_resource_handle : Status::context_is_destroyed;
}

inline Status gone_array(const void *handle) { return gone_event(handle); }

inline std::shared_ptr<Stream> find_stream(StreamTag *handle) {
    std::shared_ptr<Stream> stream = stream_of(handle);
    if (!stream) report_misuse("not a stream, or one that was destroyed", handle);
    if (stream && stream->green && !stream->green->alive) return nullptr;
    return stream;
}

inline std::shared_ptr<Event> find_event(EventTag *handle) {
    std::shared_ptr<Event> event = events().find(handle);
    if (!event) report_misuse("not an event, or one that was destroyed", handle);
    return event;
}

inline std::shared_ptr<Pool> find_pool(PoolTag *handle) {
    std::shared_ptr<Pool> pool = pools().find(handle);
    if (!pool) report_misuse("not a memory pool, or one that was destroyed", handle);
    return pool;
}

inline std::shared_ptr<Array> find_array(const ArrayTag *handle) {
    std::shared_ptr<Array> array = arrays().find(handle);
    if (!array) report_misuse("not an array, or one that was freed", handle);
    return array;
}

inline std::shared_ptr<MipmappedArray> find_mipmapped(const MipmapTag *handle) {
    std::shared_ptr<MipmappedArray> mipmap = mipmapped_arrays().find(handle);
    if (!mipmap) report_misuse("not a mipmapped array, or one that was freed", handle);
    return mipmap;
}

} // namespace pygpu::host
