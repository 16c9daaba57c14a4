// RAII around PyGPU's own calls into a runtime: restores the thread's last error and capture mode.
#pragma once

#include "runtime/own_calls.hpp"

#include <type_traits>

namespace pygpu {

// For calls on this thread that the user didn't ask for:
// - The thread's capture mode is relaxed meanwhile, so that these calls break no stream capture of others.
//   That takes two calls, which cost more than many a call in between. `Calls::allowed` leaves them out.
// - A failure of these calls doesn't become the thread's last error. An earlier last error that nobody has
//   read yet is kept. Only a failing call can set the last error, so the guard makes a call that is known to
//   fail with this status, if there is one.
class ErrorStateGuard {
public:
    // What is called: anything, or only what is allowed in every capture mode. These are the calls that ask
    // for devices and captures, and that make, end and record streams and events. Those that allocate, free,
    // query and wait are not, even in the order of a stream (seen with driver 580).
    enum class Calls : unsigned char { any, allowed };

    explicit ErrorStateGuard(const OwnCalls &own, Calls calls = Calls::any);
    ~ErrorStateGuard();
    ErrorStateGuard(const ErrorStateGuard &) = delete;
    ErrorStateGuard &operator=(const ErrorStateGuard &) = delete;

    // Notes a failure; returns the status.
    int operator()(int status) {
        failed_ |= status != 0;
        return status;
    }

    // Whether the guard could restore the last error after a failure.
    bool can_restore() const;

private:
    void relax();
    void restore();

    const OwnCalls &own_;
    int last_error_ = 0;
    int mode_;
    bool relaxed_ = false;
    bool failed_ = false;
};

// Makes one such call and returns its status. If the last error could not be restored after a failure, a
// thread of its own makes the call. `call` must not touch Python. With the GIL released.
int guarding_error_state(const OwnCalls &own, int (*call)(void *argument), void *argument);

template <class Call> int guarding_error_state(const OwnCalls &own, Call &&call) {
    using Plain = std::remove_reference_t<Call>;
    return guarding_error_state(own, [](void *one) { return (*static_cast<Plain *>(one))(); }, &call);
}

} // namespace pygpu
