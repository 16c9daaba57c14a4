// A function of Python's atexit that lets callbacks return.
#include "python/at_exit.hpp"

#include "python/exit.hpp"
#include "python/gil.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <chrono>
#include <pthread.h>
#include <thread>

namespace pygpu {
namespace {

// The longest wait: a callback may itself wait for something that never comes, such as the exiting thread.
constexpr auto patience = std::chrono::seconds(1);

int callbacks_of_this_thread() { return inside_callback() ? 1 : 0; }

PyObject *begin_exit(PyObject *, PyObject *) {
    program_exit->thread = pthread_self();
    program_exit->begun = true;
    const GilReleased released(true);
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (program_exit->running_callbacks > callbacks_of_this_thread() &&
           std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Py_RETURN_NONE;
}

// In a forked child the other threads no longer exist, nor do their callbacks.
void count_anew() { program_exit->running_callbacks = callbacks_of_this_thread(); }

} // namespace

bool watch_exit() {
    static PyMethodDef method = {"begin_exit", begin_exit, METH_NOARGS,
                                 "Lets callbacks that run return; none begins any more."};
    if (program_exit->watched) return true;
    program_exit->watched = true;
    pthread_atfork(nullptr, nullptr, count_anew);
    const Reference module(PyImport_ImportModule("atexit"));
    const Reference function(module ? PyCFunction_New(&method, nullptr) : nullptr);
    return function && Reference(PyObject_CallMethod(module.get(), "register", "O", function.get()));
}

} // namespace pygpu
