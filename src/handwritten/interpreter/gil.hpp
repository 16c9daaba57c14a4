// Giving the GIL away around a call into a vendor's library, and taking it back safely.
#pragma once

#include <Python.h>

namespace pygpu {

// Takes the GIL back for a thread that gave it away. Once the interpreter is finalising, the thread is
// parked for ever instead: ending it there would unwind C++ frames and abort the process.
void take_gil_back(PyThreadState *state);

class GilGivenAway {
public:
    explicit GilGivenAway(bool give) : state_(give ? PyEval_SaveThread() : nullptr) {}
    ~GilGivenAway() noexcept(false) {
        if (state_) take_gil_back(state_);
    }
    GilGivenAway(const GilGivenAway &) = delete;
    GilGivenAway &operator=(const GilGivenAway &) = delete;

private:
    PyThreadState *state_;
};

} // namespace pygpu
