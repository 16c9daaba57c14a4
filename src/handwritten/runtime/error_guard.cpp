// Relaxing the capture mode, and restoring the last error.
#include "runtime/error_guard.hpp"

#include "base/lock.hpp"

#include <cstdint>
#include <system_error>
#include <thread>

namespace pygpu {
namespace {

// Makes a harmless call fail with this status.
void fail_with(const OwnCalls &own, int status) {
    void *pointer = nullptr;
    if (status == own.statuses.invalid_value)
        own.malloc(nullptr, 1);
    else if (status == own.statuses.out_of_memory)
        own.malloc(&pointer, SIZE_MAX / 4);
    else if (status == own.statuses.invalid_device)
        own.set_device(-1);
    else if (status == own.statuses.invalid_handle)
        own.event_record(nullptr, nullptr);
}

} // namespace

ErrorStateGuard::ErrorStateGuard(const OwnCalls &own, Calls calls) : own_(own), mode_(own.capture_relaxed) {
    check_no_lock_held();
    if (own.peek_last_error) last_error_ = own.peek_last_error();
    if (calls == Calls::any) relax();
}

ErrorStateGuard::~ErrorStateGuard() {
    if (failed_) relax(); // the call that fails on purpose may be forbidden in another mode
    restore();
    if (relaxed_ && (*this)(own_.exchange_capture_mode(&mode_))) restore();
}

void ErrorStateGuard::relax() {
    if (!relaxed_ && own_.exchange_capture_mode) relaxed_ = !(*this)(own_.exchange_capture_mode(&mode_));
}

void ErrorStateGuard::restore() {
    if (!failed_ || !own_.get_last_error) return;
    own_.get_last_error();
    if (can_restore()) fail_with(own_, last_error_);
}

bool ErrorStateGuard::can_restore() const {
    const Statuses &known = own_.statuses;
    if (!last_error_) return true;
    if (last_error_ == known.invalid_value || last_error_ == known.out_of_memory) return own_.malloc;
    if (last_error_ == known.invalid_device) return own_.set_device;
    return last_error_ == known.invalid_handle && own_.event_record;
}

int guarding_error_state(const OwnCalls &own, int (*call)(void *argument), void *argument) {
    auto make = [&] {
        ErrorStateGuard guard(own);
        return guard(call(argument));
    };
    {
        ErrorStateGuard guard(own);
        if (guard.can_restore()) return guard(call(argument));
    }
    const int device = current_device(own);
    int status = 0;
    try {
        std::thread([&] {
            if (own.set_device) own.set_device(device);
            status = make();
        }).join();
    } catch (const std::system_error &) { // no thread can be started: the call matters more than the error
        return make();
    }
    return status;
}

} // namespace pygpu
