// Device management.
#include "api/api.hpp"
#include "api/contexts.hpp"
#include "base/call.hpp"
#include "base/context.hpp"
#include "base/process.hpp"
#include "base/thread.hpp"
#include "code/modules.hpp"
#include "device/device.hpp"
#include "image/array.hpp"
#include "image/texture_objects.hpp"
#include "memory/allocation.hpp"
#include "memory/graph_memory.hpp"
#include "memory/pool.hpp"
#include "streams/by_handle.hpp"
#include "streams/capture.hpp"
#include "streams/event.hpp"
#include "streams/stream.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pygpu::host::api {
namespace {

constexpr unsigned device_flags = 0x1f | 0xe0; // scheduling, map host, resize, sync memory operations

} // namespace

// All contexts of a device share its default streams.
void end_context(int number, unsigned long long context) {
    end_work(streams_of(number).all.those(
        [=](const Stream &one) { return one.kind != StreamKind::created || one.context == context; }));
    unload_modules(context);
    for (const auto &[handle, stream] : streams().all()) {
        if (stream->context != context) continue;
        streams().remove(handle);
        stream->close();
    }
    for (const auto &[handle, event] : events().all()) {
        if (event->context == context) events().remove(handle);
    }
    forget_texture_objects(context);
    forget_arrays(context);
    for (const Memory &memory : memory_of(number)) {
        const bool stays = memory->owner == Owner::program || memory->owner == Owner::mapping;
        if (stays || memory->context != context) continue;
        if (const auto of_graph = graph_memory_of(*memory)) of_graph->end();
        forget(memory);
        return_to_pool(*memory);
    }
}

void reset_device(int number) {
    Context &primary = *primary_context(number);
    end_green_contexts(number);
    end_context(number, primary.id);
    for (const auto &[handle, pool] : pools().all()) {
        if (pool->device == number && !pool->is_default) pools().remove(handle);
    }
    Device &one = device(number);
    one.default_pool->trim(0);
    std::lock_guard lock(one.mutex);
    one.pool = one.default_pool;
    one.peers.clear();
    one.limits.clear();
    one.cache_config = 0;
    one.flags = 0;
    one.hip_flags = 1;
    one.active = false;
    primary_of(number).runtime_uses = false;
    primary.alive = false;
    process.fatal = 0;
}

Status GetDeviceCount(int *count) {
    if (!count) return Status::invalid_value;
    *count = device_count();
    return *count ? Status::success : no_device();
}

Status GetDevice(int *number) {
    if (!number) return Status::invalid_value;
    if (!device_count()) return no_device();
    *number = thread().device;
    return Status::success;
}

Status SetDevice(int number) {
    if (!device_count()) return no_device();
    if (!is_device(number)) return Status::invalid_device;
    thread().device = number;
    device(number).active = true;
    if (on_hip()) return Status::success;
    set_current_context(primary_context(number));
    return use_primary_context();
}

Status SetValidDevices(int *numbers, int count) {
    if (count < 0 || (count && !numbers)) return Status::invalid_value;
    if (count > device_count()) return Status::invalid_value;
    for (int index = 0; index < count; ++index) {
        if (!is_device(numbers[index])) return Status::invalid_device;
    }
    return Status::success;
}

Status DeviceReset() {
    if (!device_count()) return no_device();
    reset_device(thread().device);
    return Status::success;
}

Status DeviceSynchronize() {
    Device &one = current_device();
    refuse_captured(one.number);
    synchronize(one.number);
    one.trim_pools();
    return Status::success;
}

Status GetDeviceFlags(unsigned *flags) {
    if (!flags) return Status::invalid_value;
    if (!device_count()) return no_device();
    *flags = current_device().flags | 8; // host memory is always mapped
    return Status::success;
}

Status SetDeviceFlags(unsigned flags) {
    if (!device_count()) return no_device();
    const unsigned schedule = flags & 7;
    if (flags & ~device_flags || (schedule & (schedule - 1))) return Status::invalid_value;
    current_device().flags = flags;
    return Status::success;
}

Status DeviceGetLimit(std::size_t *value, int limit) {
    if (!value) return Status::invalid_value;
    if (limit < 0 || limit >= known_limits) return Status::invalid_value;
    *value = current_device().limit(limit);
    return Status::success;
}

Status DeviceSetLimit(int limit, std::size_t value) {
    if (limit < 0 || limit >= known_limits) return Status::invalid_value;
    Device &one = current_device();
    std::lock_guard lock(one.mutex);
    one.limits[limit] = value;
    return Status::success;
}

Status DeviceGetCacheConfig(int *config) {
    if (!config) return Status::invalid_value;
    Device &one = current_device();
    std::lock_guard lock(one.mutex);
    *config = one.cache_config;
    return Status::success;
}

Status DeviceSetCacheConfig(int config) {
    if (config < 0 || config > 3) return Status::invalid_value;
    Device &one = current_device();
    std::lock_guard lock(one.mutex);
    one.cache_config = config;
    return Status::success;
}

Status DeviceGetSharedMemConfig(int *config) {
    if (!config) return Status::invalid_value;
    *config = 1; // banks of four bytes
    return Status::success;
}

Status DeviceSetSharedMemConfig(int config) {
    return config < 0 || config > 2 ? Status::invalid_value : Status::success;
}

Status DeviceGetPCIBusId(char *text, int size, int number) {
    if (!text || size <= 0) return Status::invalid_value;
    if (!device_count()) return no_device();
    if (!is_device(number)) return Status::invalid_device;
    char full[16];
    pci_bus_id(number, full);
    if (static_cast<std::size_t>(size) <= std::strlen(full)) return Status::invalid_value;
    std::strcpy(text, full);
    return Status::success;
}

// "domain:bus:device.function", domain and function may be left out.
Status DeviceGetByPCIBusId(int *number, const char *text) {
    if (!number || !text) return Status::invalid_value;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = function = 0;
        if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2) return Status::invalid_value;
    }
    for (int one = 0; one < device_count(); ++one) {
        if (domain == 0 && slot == 0 && bus == static_cast<unsigned>(pci_bus(one))) {
            *number = one;
            return Status::success;
        }
    }
    return Status::invalid_device;
}

Status DeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = priorities().least;
    if (greatest) *greatest = priorities().greatest;
    return Status::success;
}

Status GetLastError(int vendor) {
    int &last = thread().last_error[vendor];
    const int code = last;
    // A fatal error can't be cleared.
    last = process.fatal.load();
    return static_cast<Status>(code);
}

Status PeekAtLastError(int vendor) { return static_cast<Status>(thread().last_error[vendor]); }

} // namespace pygpu::host::api
