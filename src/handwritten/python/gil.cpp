// Reacquiring the GIL: the one place where a thread may meet a finalising interpreter.
#include "python/gil.hpp"

#include "python/exit.hpp"
#include "python/lock.hpp"

#include <unistd.h>

namespace pygpu {

int &own_callbacks_entered() {
    thread_local int entered = 0;
    return entered;
}

void park_thread() {
    for (;;) pause();
}

PyThreadState *release_gil() noexcept {
    check_no_lock_held();
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

void enter_python(void (*action)(void *argument), void *argument) {
    check_no_lock_held();
    // After the end of the interpreter, interpreter_is_finalising() no longer says so.
    if (!Py_IsInitialized() || interpreter_is_finalising() || !begin_callback()) return;
    try {
        const PyGILState_STATE state = PyGILState_Ensure();
        ++callbacks_entered();
        action(argument);
        --callbacks_entered();
        PyGILState_Release(state);
        end_callback();
    } catch (...) {
        park_thread(); // as in reacquire_gil(): here, or anywhere in the action
    }
}

} // namespace pygpu
