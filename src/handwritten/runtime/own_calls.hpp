// The functions of a runtime that PyGPU calls for itself, not because a user asked for them.
#pragma once

#include "runtime/statuses.hpp"

#include <cstddef>
#include <cstdint>

namespace pygpu {

// Generated for each API from the names in its manifest; filled when the library is loaded. A function that
// the API or the library lacks is null. They return C's statuses.
struct OwnCalls {
    int (*get_device)(int *device) = nullptr;
    int (*set_device)(int device) = nullptr;
    int (*peek_last_error)() = nullptr;
    int (*get_last_error)() = nullptr;
    int (*exchange_capture_mode)(int *mode) = nullptr;
    int (*malloc)(void **pointer, std::size_t size) = nullptr;
    int (*event_record)(void *event, void *stream) = nullptr;
    int (*graph_of_node)(void *node, void **graph) = nullptr;
    // Where a kernel's parameter lies: of a function, and of a kernel of all contexts.
    int (*function_parameter)(const void *kernel, std::size_t index, std::size_t *offset,
                              std::size_t *size) = nullptr;
    int (*kernel_parameter)(const void *kernel, std::size_t index, std::size_t *offset,
                            std::size_t *size) = nullptr;
    // With one reference, which user_object_retain() passes on to the graph.
    int (*user_object_create)(void **object, void *pointer, void (*destroy)(void *)) = nullptr;
    int (*user_object_retain)(void *graph, void *object) = nullptr;
    int (*capture_info)(void *stream, bool *capturing, void **graph) = nullptr;
    int (*array_bits)(void *array, int *bits) = nullptr; // of an element; 0 if compressed or planar
    int capture_relaxed = 0;                             // the mode
    std::uintptr_t thread_stream = 0;                    // the handle of the calling thread's own stream
    Statuses statuses{};
};

// Clears the thread's last error if it is this one. The caller has raised it already. Other libraries of the
// process read the last error after their own calls, and would raise it a second time.
void forget_last_error(const OwnCalls &own, int status);

// The thread's current device; 0 if it is unknown.
int current_device(const OwnCalls &own);

} // namespace pygpu
