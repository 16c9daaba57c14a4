// Guarding calls.
#include "guard/guard.hpp"

#include "base/context.hpp"
#include "base/faults.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "device/device.hpp"
#include "hip_runtime/enumerators.hpp"
#include "observe/leaks.hpp"
#include "streams/capture.hpp"

namespace pygpu::host {
namespace {

// What stops a call before it runs; success where nothing does.
Status before(const Call &call, const ThreadState &state) {
    if (process.unusable.load(std::memory_order_acquire)) {
        // A forked child can't use its parent's devices; at exit the runtime is going away.
        return process.forked.load() ? Status::initialization_error : Status::unloading;
    }
    if (faults_armed()) {
        if (const int code = fault_of(call)) return static_cast<Status>(code);
    }
    if (call.guard == Guard::pure) return Status::success;
    if (!process.used.load(std::memory_order_relaxed)) begin_use();
    if (call.vendor == Vendor::cuda) initialize_driver();
    if (call.vendor == Vendor::cu) {
        if (!process.initialized.load(std::memory_order_relaxed)) return Status::initialization_error;
        if (state.in_callback) return Status::not_permitted;
    }
    if (!needs_device(call.guard)) {
        if (is_unsafe(call.guard)) refuse_unsafe();
        return Status::success;
    }
    if (!device_count()) return no_device();
    if (state.in_callback) return Status::not_permitted;
    if (const int fatal = process.fatal.load(std::memory_order_relaxed)) return static_cast<Status>(fatal);
    const Status status = call.vendor == Vendor::cuda ? use_primary_context()
                          : call.vendor == Vendor::cu ? check_current_context()
                                                      : Status::success;
    if (status == Status::success && is_unsafe(call.guard)) refuse_unsafe();
    return status;
}

// Notes the outcome; returns it.
Status after(const Call &call, ThreadState &state, Status status) {
    if (call.vendor == Vendor::cu) return status; // the driver API has no last error
    // "Not ready" is an answer, not an error, and a success changes nothing. hipExtGetLastError returns the
    // status of the last call, as hipGetLastError did before HIP 7 (AMD, "HIP API 7.0 changes").
    if (call.vendor == Vendor::hip) state.last_status = static_cast<int>(status);
    if (status != Status::success && status != Status::not_ready)
        state.last_error[static_cast<int>(call.vendor)] = static_cast<int>(status);
    return status;
}

// A call of CUDA's that failed, for cuLogs….
void log_failure(const Call &call, Status status) noexcept {
    caught([&] {
        log(LogLevel::error,
            std::string(call.name()) + " returned " + std::to_string(static_cast<int>(status)));
        return Status::success;
    });
}

// Which function a program misses. Where only the arguments aren't supported, the function itself reports.
void report_missing(const Call &call) noexcept {
    caught([&] {
        report_once(std::string(call.symbol) + "() isn't implemented");
        return Status::success;
    });
}

} // namespace

void begin_use() {
    start_use([] { report_leaks(); });
}

Status run_guarded(const Call &call, Status (*body)(void *), void *argument) noexcept {
    ThreadState &state = thread();
    const Inside inside(call, state);
    Status status = caught([&] {
        const Status stopped = before(call, state);
        return stopped == Status::success ? body(argument) : stopped;
    });
    // That work may have failed since the call began.
    if (status == Status::success && state.asks_whether_done && needs_device(call.guard))
        status = static_cast<Status>(process.fatal.load(std::memory_order_relaxed));
    if (!call.implemented && status == Status::not_supported && settings().strict) report_missing(call);
    if (status != Status::success && status != Status::not_ready && call.vendor != Vendor::hip)
        log_failure(call, status);
    return status != Status::success || call.vendor == Vendor::hip ? after(call, state, status) : status;
}

} // namespace pygpu::host
