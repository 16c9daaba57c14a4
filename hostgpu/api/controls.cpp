// What the host runtime exports besides the vendors' functions: for PyGPU.host and for tests.
#include "api/modules.hpp"
#include "base/caught.hpp"
#include "base/faults.hpp"
#include "base/interrupt.hpp"
#include "base/kernel_times.hpp"
#include "base/mapped.hpp"
#include "base/process.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "code/kernels.hpp"
#include "code/launch.hpp"
#include "code/link_ptx.hpp"
#include "code/registered.hpp"
#include "device/device.hpp"
#include "guard/guard.hpp"
#include "memory/allocation.hpp"
#include "observe/leaks.hpp"
#include "streams/by_handle.hpp"
#include "streams/stream.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#define PYGPU_EXPORT extern "C" __attribute__((visibility("default")))

using namespace pygpu;

namespace {

const host::HostedApi *find_api(const char *name) {
    for (const host::HostedApi &one : host::hosted_apis) {
        if (!std::strcmp(one.name, name)) return &one;
    }
    return nullptr;
}

} // namespace

// The release that an API ("cuda", "hip", "cu") is served as, null for another name.
PYGPU_EXPORT const char *pygpu_host_release(const char *api) {
    const host::HostedApi *hosted = find_api(api);
    return hosted ? hosted->release : nullptr;
}

// The index-th exported symbol of an API, null after the last; whether it is implemented goes to
// `implemented`.
PYGPU_EXPORT const char *pygpu_host_function(const char *api, int index, int *implemented) {
    const host::HostedApi *hosted = find_api(api);
    if (!hosted) return nullptr;
    const host::Call &one = hosted->exported[index];
    if (implemented) *implemented = one.implemented;
    return one.symbol;
}

// Makes another library's memory known, for an array that is a view of it: calls take it for registered host
// memory. If its owner calls it read-only, kernels may write to it only where its pages are writable.
PYGPU_EXPORT void pygpu_host_adopt(void *base, std::size_t size, int device, int readonly) {
    host::bare<int>([&] {
        const bool writable = !readonly || host::rights_to(base, size) == host::Rights::write;
        return host::adopt(base, size, device, writable), 0;
    });
}

PYGPU_EXPORT void pygpu_host_disown(void *base, std::size_t size) {
    host::bare<int>([&] { return host::disown(base, size), 0; });
}

// Turns strict mode on or off; returns whether it was on.
PYGPU_EXPORT int pygpu_host_set_strict(int on) {
    return host::bare<int>([&] { return host::settings().strict.exchange(on != 0); });
}

// See host/core/faults.hpp.
PYGPU_EXPORT long pygpu_host_fail(const char *function, unsigned long long nth, unsigned long long times,
                                  int code) {
    return host::bare<long>([&] { return host::arm(function, nth, times, code); });
}

PYGPU_EXPORT long long pygpu_host_unfail(long number) {
    return host::bare<long long>([&] { return host::disarm(number); });
}

// See host/core/interrupt.hpp.
PYGPU_EXPORT void pygpu_host_set_interrupt_check(host::InterruptCheck *check) {
    host::set_interrupt_check(check);
}

// Keeps a stream's queued work from starting. Returns 0, or a code where there is no such stream.
PYGPU_EXPORT int pygpu_host_pause(void *stream) {
    return static_cast<int>(host::caught([&] {
        const auto object = host::device_count() ? host::stream_of(stream) : nullptr;
        if (!object) return host::Status::invalid_resource_handle;
        object->pause();
        return host::Status::success;
    }));
}

PYGPU_EXPORT int pygpu_host_resume(void *stream) {
    return static_cast<int>(host::caught([&] {
        const auto object = host::device_count() ? host::stream_of(stream) : nullptr;
        return object && object->resume() ? host::Status::success : host::Status::invalid_resource_handle;
    }));
}

PYGPU_EXPORT int pygpu_host_devices() {
    return host::bare<int>([] { return host::device_count(); });
}

// 0 where all that was queued is done, 1 where some isn't, 2 where a stream is paused.
PYGPU_EXPORT int pygpu_host_work() {
    return host::bare<int>([] {
        int work = 0;
        for (int number = 0; number < host::all_devices(); ++number) {
            host::streams_of(number).all.each([&](const host::Stream &one) {
                work = std::max(work, one.paused() ? 2 : one.idle() ? 0 : 1);
            });
        }
        return work;
    });
}

// Waits for all queued work, but for none while a stream is paused. Returns the code that every call returns
// until the device is reset, 0 where there is none.
PYGPU_EXPORT int pygpu_host_finish() {
    return host::bare<int>([] {
        for (int number = 0; number < host::device_count() && pygpu_host_work() == 1; ++number)
            host::synchronize(number);
        return host::process.fatal.load();
    });
}

// Registers a function for the kernels of a name, with `count` sizes and offsets of its parameters; -1 where
// the device code has them. Returns a number for pygpu_host_remove_kernel(), negative where there is
// no memory.
PYGPU_EXPORT long pygpu_host_add_kernel(const char *name, host::KernelFunction *function, int needs_types,
                                        const std::size_t *offsets, const std::size_t *sizes, int count) {
    long number = -1;
    host::caught([&] {
        std::optional<host::Signature> parameters;
        if (count >= 0) parameters.emplace();
        for (int index = 0; index < count; ++index) parameters->push_back({offsets[index], sizes[index], ""});
        number = host::register_kernel(name, function, needs_types != 0, std::move(parameters));
        return host::Status::success;
    });
    return number;
}

PYGPU_EXPORT int pygpu_host_remove_kernel(long number) {
    return host::bare<int>([&] { return host::unregister_kernel(number); });
}

PYGPU_EXPORT void pygpu_host_end_kernels() {
    host::caught([] { return host::end_kernels(), host::Status::success; });
}

PYGPU_EXPORT void pygpu_host_set_released(void (*released)(long)) { host::set_released(released); }

// A parameter of a kernel of either vendor: AMD's API has no function that gives it.
PYGPU_EXPORT int pygpu_host_parameter(const void *function, std::size_t index, std::size_t *offset,
                                      std::size_t *size) {
    return static_cast<int>(host::caught([&] {
        const auto kernel = host::kernel_of(function);
        return kernel ? host::api::get_parameter_info(*kernel, index, offset, size)
                      : host::Status::invalid_device_function;
    }));
}

PYGPU_EXPORT const char *pygpu_host_types_of_arguments() { return host::types_of_arguments(); }

// Writes the list of memory that was not freed, at most `size` bytes; returns its whole length.
PYGPU_EXPORT std::size_t pygpu_host_leaks(char *text, std::size_t size) {
    return host::bare<std::size_t>([&] {
        const std::string all = host::leaks_text();
        if (size) {
            const std::size_t length = all.size() < size ? all.size() : size - 1;
            std::memcpy(text, all.data(), length);
            text[length] = '\0';
        }
        return all.size();
    });
}

PYGPU_EXPORT void pygpu_host_set_locator(void (*locator)(char *, std::size_t)) { host::set_locator(locator); }

PYGPU_EXPORT void pygpu_host_set_kernel_watcher(host::KernelWatcher watcher) {
    host::set_kernel_watcher(watcher);
}

PYGPU_EXPORT void pygpu_host_set_listener(void (*listener)(const char *)) { host::set_listener(listener); }

// Links texts of PTX. Returns the linked text, or null with the problem in `problem`; both are malloc's.
PYGPU_EXPORT char *pygpu_host_link_ptx(const char *const *texts, const char *const *names, std::size_t count,
                                       char **problem) {
    std::string text;
    const int linked = host::bare<int>([&] {
        std::vector<host::PtxPart> parts;
        parts.reserve(count);
        for (std::size_t i = 0; i < count; ++i) parts.push_back({texts[i], names[i]});
        try {
            text = host::link_ptx(parts);
            return 1;
        } catch (const ptx::Problem &one) {
            text = one.what;
            return 0;
        }
    });
    char *const copy = linked >= 0 ? strdup(text.c_str()) : nullptr;
    if (linked <= 0) *problem = copy;
    return linked > 0 ? copy : nullptr;
}
