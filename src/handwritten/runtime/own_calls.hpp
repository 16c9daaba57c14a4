// The functions of a runtime that PyGPU calls for itself, beside what a user asked for.
#pragma once

#include "runtime/statuses.hpp"

#include <cstddef>

namespace pygpu {

struct Api;

// Filled when the library is; each is null where the library lacks it. Statuses are C's.
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

// The functions of the library that the API has just opened.
OwnCalls own_calls_of(const Api &api);

// Clears the thread's last error where it is this one. What was raised is told: other libraries of the
// process, which ask for the last error after their own calls, would raise it again.
void forget_last_error(const OwnCalls &own, int status);

// The device that is current for the thread; 0 where that is unknown.
int current_device(const OwnCalls &own);

} // namespace pygpu
