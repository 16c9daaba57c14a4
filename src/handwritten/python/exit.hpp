// The end of the interpreter while other threads and callbacks run. A thread that asks for the GIL while the
// interpreter is finalising never gets it.
//
// A callback that needs the GIL then never returns. Its stream never goes on, and neither does a thread that
// waits for the stream. So at exit the running callbacks get time to return, and no other callback begins.
// If one does not return, every call that could wait for it is refused.
//
// CPython up to 3.13 ends a thread that asks for the GIL too late. If the thread is in Python code that C++
// called, its stack is unwound through our frames, and destructors run without the GIL. Destructors that
// touch Python objects park the thread instead.
#pragma once

#include "python/gil.hpp"

#include <atomic>
#include <pthread.h>

namespace pygpu {

// Shared by all extension modules: each uses the Exit of PyGPU._core (module/shared.hpp).
struct Exit {
    std::atomic<int> running_callbacks{0}; // of all threads: begun and not returned yet
    std::atomic<bool> begun{false};
    bool watched = false;
    pthread_t thread{};          // the finalising thread, once the exit has begun
    PyObject *modules = nullptr; // by name, the namespaces of modules that finalisers may need
};
extern Exit *program_exit;

// How many nested callbacks this thread is in (callback.hpp). All extension modules ask PyGPU._core.
extern int &(*callbacks_entered)();

// Whether this thread is inside a callback, where the vendors forbid calls.
inline bool inside_callback() {
    return program_exit->running_callbacks.load(std::memory_order_relaxed) && callbacks_entered() > 0;
}

// Counts a callback; false if no callback may begin any more.
bool begin_callback();
void end_callback();

// Whether a call that waits could wait for a callback that never returns.
inline bool waits_may_never_end() {
    return program_exit->running_callbacks.load(std::memory_order_relaxed) && interpreter_is_finalising();
}

// Whether the interpreter is finalising on another thread, so that this thread never gets the GIL again.
bool is_overtaken();

// For destructors that are about to touch Python objects.
inline void park_if_overtaken() {
    if (program_exit->begun.load(std::memory_order_relaxed) && is_overtaken()) [[unlikely]]
        park_thread();
}

} // namespace pygpu
