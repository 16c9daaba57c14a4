// Running Python's handlers of signals within a wait, and raising what they raise behind it.
#include "runtime/interrupt.hpp"

#include "python/callback.hpp"

#include <Python.h>
#include <dlfcn.h>

namespace pygpu {
namespace {

struct Raised {
    PyObject *type, *value, *traceback;
};

// Python calls it in the main thread, as soon as the interrupted call has returned.
int raise_again(void *argument) {
    auto *const raised = static_cast<Raised *>(argument);
    PyErr_Restore(raised->type, raised->value, raised->traceback);
    delete raised;
    return -1;
}

int check_signals() {
    int pending = 0;
    enter_python([&] {
        if (!PyErr_CheckSignals()) return;
        auto *const raised = new Raised{};
        PyErr_Fetch(&raised->type, &raised->value, &raised->traceback);
        pending = 1;
        if (Py_AddPendingCall(raise_again, raised)) { // too many are waiting
            raise_again(raised);
            PyErr_WriteUnraisable(nullptr);
        }
    });
    return pending;
}

} // namespace

void offer_interrupts(void *library) {
    using Set = void(int (*)());
    if (auto *set = reinterpret_cast<Set *>(dlsym(library, "pygpu_host_set_interrupt_check")))
        set(check_signals);
}

} // namespace pygpu
