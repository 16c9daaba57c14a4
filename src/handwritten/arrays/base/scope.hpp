// RAII: runs PyGPU's own calls on a device, and restores device, last error and capture mode.
//
//     Scope scope(runtime, device);
//     int status = scope.status();                              // could the device be made current?
//     if (!status) status = scope(runtime.malloc(&pointer, size)); // notes a failure
//
// As in error_guard.hpp, these calls break no capture. Failures of this layer raise its own exceptions. They
// don't change the last error, which other libraries read, too.
#pragma once

#include "arrays/base/runtime.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"

namespace pygpu::arrays {

class Scope {
public:
    static constexpr int current = -1;
    using Calls = ErrorStateGuard::Calls;

    // The status is "not permitted" if a wait might never end: at exit, while a callback still runs.
    explicit Scope(const Runtime &runtime, int device = current, Calls calls = Calls::any);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

    int status() const { return status_; }
    int device() const { return device_; } // the current device inside the scope

    int operator()(int status) { return guard_(status); }

    // Makes a call that often fails, with "not ready" for example. If the last error could not be restored
    // after that, another thread makes the call. So the call must not depend on the thread.
    template <class Call> int expect(Call call) {
        return guard_.can_restore() ? guard_(call()) : guarding_error_state(runtime_.api.own, call);
    }

    // Makes another device current for the rest of the scope.
    int change(int device);

    // Call these before and after code of a user inside the scope. The user's code sees the device that was
    // current before the scope. If it changes the device, that device is current after the scope.
    void suspend();
    int resume();
    const Runtime &runtime() const { return runtime_; }

private:
    static constexpr int unknown = -1;

    const Runtime &runtime_;
    ErrorStateGuard guard_;
    int device_ = unknown;
    int before_ = unknown; // the device to restore
    int status_ = success;
};

// The `device` argument of a call: a number, or None for Scope::current. False with TypeError or ValueError
// set.
bool load_device(PyObject *object, const char *call, int &device);

} // namespace pygpu::arrays
