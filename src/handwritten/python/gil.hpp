// Releasing the GIL around a call into a vendor's library, and reacquiring it safely.
#pragma once

#include <Python.h>

#include <type_traits>

namespace pygpu {

// Stops this thread for ever.
[[noreturn]] void park_thread();

// Reacquires the GIL for a thread that released it. Once the interpreter is finalising, the thread is parked
// for ever instead. CPython would end the thread there, which would unwind C++ frames and abort the process.
[[gnu::hot]] void reacquire_gil(PyThreadState *state) noexcept;

// Whether the interpreter is finalising. Only the thread that finalises it can hold the GIL then.
inline bool interpreter_is_finalising() {
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

// Releases the GIL. The finalising thread keeps it and gets null (in the destructors of a module's last
// objects): no other thread may have the GIL any more, and reacquiring it would park this thread.
[[gnu::hot]] PyThreadState *release_gil() noexcept;

class GilReleased {
public:
    explicit GilReleased(bool release) : state_(release ? release_gil() : nullptr) {}
    ~GilReleased() {
        if (state_) reacquire_gil(state_);
    }
    GilReleased(const GilReleased &) = delete;
    GilReleased &operator=(const GilReleased &) = delete;

private:
    PyThreadState *state_;
};

// Runs `action(argument)` with the GIL, in a callback from a vendor's library. The thread may be unknown to
// Python. Does nothing once the exit of the program has begun (exit.hpp). If the exit begins meanwhile, the
// thread is parked. The action must not hold C++ objects across calls into Python: if the interpreter ends
// the thread, their destructors would run without the GIL.
void enter_python(void (*action)(void *argument), void *argument);

template <class Action> void enter_python(Action &&action) {
    using Plain = std::remove_reference_t<Action>;
    enter_python([](void *one) { (*static_cast<Plain *>(one))(); }, &action);
}

// How many nested callbacks this thread is in. All extension modules ask PyGPU._core (module/shared.hpp).
int &own_callbacks_entered();
inline int &(*callbacks_entered)() = own_callbacks_entered;

} // namespace pygpu
