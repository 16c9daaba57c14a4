// RAII: runs PyGPU's own calls on a device, and restores device, last error and capture mode.
//
//     Scope scope(runtime, device);
//     int status = scope.status();                              // could the device be made current?
//     if (!status) status = scope(runtime.malloc(&pointer, size)); // notes a failure
//
// Its calls break no capture, as in error_guard.hpp. Failures of this layer raise its own exceptions; they
// don't show in the last error, which the whole process shares.
#pragma once

#include "arrays/base/runtime.hpp"
#include "runtime/api.hpp"
#include "runtime/error_guard.hpp"

namespace pygpu::arrays {

class Scope {
public:
    static constexpr int current = -1;

    // Its status is "not permitted" where any wait may last for ever: at exit, beside a callback that hangs.
    explicit Scope(const Runtime &runtime, int device = current);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

    int status() const { return status_; }
    int device() const { return device_; } // the current one inside

    int operator()(int status) { return guard_(status); }

    // A call that fails in the common run of things, by "not ready" say: on a thread of its own where the
    // last error could not be restored. It must not depend on the thread.
    template <class Call> int expect(Call call) {
        return guard_.can_restore() ? guard_(call()) : guarding_error_state(runtime_.api.own, call);
    }

    // Makes another device current for the rest of the scope.
    int change(int device);

    // Around a user's code inside: it finds the device that was current, and what it makes current stays so
    // after the scope.
    void suspend();
    int resume();
    const Runtime &runtime() const { return runtime_; }

private:
    static constexpr int unknown = -1;

    const Runtime &runtime_;
    ErrorStateGuard guard_;
    int device_ = unknown;
    int before_ = unknown; // what was current
    int status_ = success;
};

// The `device` argument of a call: a number, or None for Scope::current. False with TypeError or ValueError
// set.
bool load_device(PyObject *object, const char *call, int &device);

} // namespace pygpu::arrays
