// A stretch of internal calls on one device: what others of the process see stays as it was.
//
//     Scope scope(runtime, device);
//     int status = scope.status();                              // could the device be made current?
//     if (!status) status = scope(runtime.malloc(&pointer, size)); // notes a failure
//
// Inside, the thread's capture mode is relaxed, so that nothing here breaks a stream capture of torch's. At
// the end the device that was current is so again, and the error that was last for the thread, too: failures
// of this layer are told by its own exceptions, not by the error slot that the process shares.
#pragma once

#include "arrays/runtime/runtime.hpp"

namespace pygpu::arrays {

class Scope {
public:
    static constexpr int current = -1;

    explicit Scope(const Runtime &runtime, int device = current);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

    int status() const { return status_; }
    int device() const { return device_; } // the current one inside

    int operator()(int status) {
        failed_ |= status != success;
        return status;
    }

    // Makes another device current for the rest of the stretch.
    int change(int device);

private:
    static constexpr int unknown = -1;

    const Runtime &runtime_;
    int device_ = unknown;
    int before_ = unknown; // what was current
    int mode_ = 2;         // relaxed, in both APIs
    int last_error_ = success;
    int status_ = success;
    bool relaxed_ = false;
    bool failed_ = false;
};

} // namespace pygpu::arrays
