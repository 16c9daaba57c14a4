// Runs a finaliser's API calls: now, after the callback, or not at all at exit. Keeps the exception that is
// set.
#pragma once

#include "python/exception_aside.hpp"
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
    const ExceptionAside aside;
    action();
}

} // namespace pygpu
