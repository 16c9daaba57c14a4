// Taking the GIL on any thread, unless the program exits.
#include "python/callback.hpp"

#include "base/lock.hpp"
#include "python/exit.hpp"
#include "python/gil.hpp"

#include <Python.h>

namespace pygpu {

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
