// Counting callbacks, and waiting for them at exit.
#include "python/exit.hpp"

#include "python/reference.hpp"

#include <chrono>
#include <pthread.h>
#include <thread>

namespace pygpu {
namespace {

pthread_t exiting; // the thread that finalises, once the exit has begun

// A callback may wait for something that never comes: for the thread that exits, say.
constexpr auto patience = std::chrono::seconds(1);

int callbacks_of_this_thread() { return inside_callback() ? 1 : 0; }

PyObject *begin_exit(PyObject *, PyObject *) {
    exiting = pthread_self();
    exit_has_begun = true;
    const GilReleased released(true);
    const auto limit = std::chrono::steady_clock::now() + patience;
    while (running_callbacks > callbacks_of_this_thread() && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Py_RETURN_NONE;
}

// The other threads are gone, and their callbacks with them.
void count_anew() { running_callbacks = callbacks_of_this_thread(); }

} // namespace

bool begin_callback() {
    if (inside_callback()) return true; // counted already
    ++running_callbacks;                // before the look: the exit looks the other way round
    if (!exit_has_begun) return true;
    --running_callbacks;
    return false;
}

void end_callback() {
    if (!inside_callback()) --running_callbacks;
}

bool is_overtaken() { return interpreter_is_finalising() && !pthread_equal(exiting, pthread_self()); }

bool watch_exit() {
    static PyMethodDef method = {"begin_exit", begin_exit, METH_NOARGS,
                                 "Lets callbacks that run return; none begins any more."};
    pthread_atfork(nullptr, nullptr, count_anew);
    const Reference module(PyImport_ImportModule("atexit"));
    const Reference function(module ? PyCFunction_New(&method, nullptr) : nullptr);
    return function && Reference(PyObject_CallMethod(module.get(), "register", "O", function.get()));
}

} // namespace pygpu
