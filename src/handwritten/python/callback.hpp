// Entering Python in a callback from a vendor's library.
#pragma once

#include <type_traits>

namespace pygpu {

// Runs `action(argument)` with the GIL. The thread may be unknown to Python. Does nothing once the exit of
// the program has begun (exit.hpp). If the exit begins meanwhile, the thread is parked. The action must not
// hold C++ objects across calls into Python: if the interpreter ends the thread, their destructors would run
// without the GIL.
void enter_python(void (*action)(void *argument), void *argument);

template <class Action> void enter_python(Action &&action) {
    using Plain = std::remove_reference_t<Action>;
    enter_python([](void *one) { (*static_cast<Plain *>(one))(); }, &action);
}

} // namespace pygpu
