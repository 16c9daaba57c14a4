// Runs a finaliser's API calls: now, or after the current callback, or not at all at exit. Keeps the current
// exception.
#pragma once

#include "python/exception_aside.hpp"
#include "python/exit.hpp"
#include "python/later.hpp"

#include <Python.h>

namespace pygpu {

// Runs `action` with the GIL. Inside a callback it is postponed to the next ordinary call, so `action` must
// hold copies of all it needs. It is not run at all if its wait might never end.
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
