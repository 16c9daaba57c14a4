// Reacquiring the GIL: the one place where a thread may meet a finalising interpreter.
#include "python/gil.hpp"

#include "base/lock.hpp"

#include <unistd.h>

namespace pygpu {

void park_thread() {
    for (;;) pause();
}

constinit std::atomic<void (*)()> before_release{nullptr};

PyThreadState *release_gil() noexcept {
    check_no_lock_held();
    if (void (*const noting)() = before_release.load(std::memory_order_relaxed)) [[unlikely]]
        noting();
    return interpreter_is_finalising() ? nullptr : PyEval_SaveThread();
}

void reacquire_gil(PyThreadState *state) noexcept {
    check_no_lock_held();
    if (interpreter_is_finalising()) park_thread();
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        // Finalisation began since the check: CPython ends the thread by pthread_exit, which unwinds
        // as a foreign exception. Leaving this block would end in std::terminate.
        park_thread();
    }
}

} // namespace pygpu
