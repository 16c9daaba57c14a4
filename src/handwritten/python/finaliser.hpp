// What an object's end asks of the vendor's library: put off where calls are forbidden, and unnoticed by
// whoever handles an exception meanwhile.
#pragma once

#include "python/exit.hpp"
#include "python/later.hpp"

#include <Python.h>

namespace pygpu {

// Runs `action`, which holds copies of all it needs, with the GIL; inside a callback, at the next ordinary
// call; not at all where it could wait for ever.
template <class Action> void finalise(Action action) {
    park_if_overtaken();
    if (waits_may_never_end()) return;
    if (inside_callback()) {
        postpone(action);
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    action();
    PyErr_Restore(type, value, traceback);
}

} // namespace pygpu
