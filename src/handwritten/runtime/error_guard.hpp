// RAII around PyGPU's own calls into a runtime: restores the thread's last error and capture mode.
#pragma once

#include "runtime/own_calls.hpp"

#include <type_traits>

namespace pygpu {

// For calls that the user didn't ask for, on this thread:
// - The thread's capture mode is relaxed meanwhile, so that they break no stream capture, torch's say.
// - A failure doesn't become the thread's last error, and an error that waits there to be seen stays. Nothing
//   sets the last error but a failing call: where one is known that fails so, it is made.
class ErrorStateGuard {
public:
    explicit ErrorStateGuard(const OwnCalls &own);
    ~ErrorStateGuard();
    ErrorStateGuard(const ErrorStateGuard &) = delete;
    ErrorStateGuard &operator=(const ErrorStateGuard &) = delete;

    // Notes a failure.
    int operator()(int status) {
        failed_ |= status != 0;
        return status;
    }

    // Whether the error that waits would be there again after a failure.
    bool can_restore() const;

private:
    void restore();

    const OwnCalls &own_;
    int last_error_ = 0;
    int mode_;
    bool relaxed_ = false;
    bool failed_ = false;
};

// Makes one call of this kind and returns its status: on a thread of its own where the error that waits could
// not be restored. `call` must not touch Python. With the GIL released.
int guarding_error_state(const OwnCalls &own, int (*call)(void *argument), void *argument);

template <class Call> int guarding_error_state(const OwnCalls &own, Call &&call) {
    using Plain = std::remove_reference_t<Call>;
    return guarding_error_state(own, [](void *one) { return (*static_cast<Plain *>(one))(); }, &call);
}

} // namespace pygpu
