// The functions of a runtime that PyGPU calls for itself, not because a user asked for them.
#pragma once

#include "runtime/statuses.hpp"

#include <cstddef>

namespace pygpu {

// Filled when the library is loaded. A function that the library lacks is null. They return C's statuses.
struct OwnCalls {
    int (*get_device)(int *device) = nullptr;
    int (*set_device)(int device) = nullptr;
    int (*peek_last_error)() = nullptr;
    int (*get_last_error)() = nullptr;
    int (*exchange_capture_mode)(int *mode) = nullptr;
    int (*malloc)(void **pointer, std::size_t size) = nullptr;
    int (*record_event)(void *event, void *stream) = nullptr;
    Statuses statuses{};
};

// Clears the thread's last error if it is this one. The caller has raised it already. Other libraries of the
// process read the last error after their own calls, and would raise it a second time.
void forget_last_error(const OwnCalls &own, int status);

// The thread's current device; 0 if it is unknown.
int current_device(const OwnCalls &own);

} // namespace pygpu
