// The end of the interpreter, beside threads and callbacks that run: a thread that asks for the GIL while the
// interpreter is finalising never gets it.
//
// A callback that is overtaken by that never returns, its stream never goes on, and who waits for the stream
// waits for ever. So at exit the callbacks that run get time to return, and no other begins. Where one does
// not return, every call that could wait for it is refused.
//
// A thread that is overtaken in Python code below a frame of ours is ended by CPython up to 3.13: its stack
// is unwound, and destructors run without the GIL. Those that touch Python's objects park the thread instead.
#pragma once

#include "python/gil.hpp"

#include <atomic>
#include <pthread.h>

namespace pygpu {

// What all extension modules have in common: each takes PyGPU._core's (module/shared.hpp).
struct Exit {
    std::atomic<int> running_callbacks{0}; // begun and not returned, of all threads
    std::atomic<bool> begun{false};
    bool watched = false;
    pthread_t thread{}; // that finalises, once the exit has begun
};
inline Exit own_exit;
inline Exit *program_exit = &own_exit;

// Whether this thread is inside enter_python(): inside a callback, where the vendors forbid calls.
inline bool inside_callback() {
    return program_exit->running_callbacks.load(std::memory_order_relaxed) && callbacks_entered() > 0;
}

// Counts a callback; false where none may begin any more.
bool begin_callback();
void end_callback();

// Whether a call that waits could wait for a callback that never returns.
inline bool waits_may_never_end() {
    return program_exit->running_callbacks.load(std::memory_order_relaxed) && interpreter_is_finalising();
}

bool is_overtaken(); // this thread, once the exit has begun

// For destructors that are about to touch Python's objects.
inline void park_if_overtaken() {
    if (program_exit->begun.load(std::memory_order_relaxed) && is_overtaken()) [[unlikely]]
        park_thread();
}

// From now on the exit is noticed, and waits for callbacks; false with the exception set.
bool watch_exit();

} // namespace pygpu
