// Calls of PyGPU's own into a runtime that leave no trace in what others see of it.
#pragma once

#include "lifetime/own_calls.hpp"

#include <type_traits>

namespace pygpu {

// Makes a call that the user didn't ask for, and returns its status:
// - The thread's capture mode is relaxed meanwhile, so that it breaks no stream capture, torch's say.
// - A failure doesn't become the thread's last error, and an error that waits there to be seen stays: then
//   the call is made on a thread of its own, for nothing but a failure sets the last error.
// `call` must not touch Python. With the GIL given away.
int quietly(const OwnCalls &own, int (*call)(void *argument), void *argument);

template <class Call> int quietly(const OwnCalls &own, Call &&call) {
    using Plain = std::remove_reference_t<Call>;
    return quietly(own, [](void *one) { return (*static_cast<Plain *>(one))(); }, &call);
}

} // namespace pygpu
