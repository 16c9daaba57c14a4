// Releasing the GIL around a call into a vendor's library, and reacquiring it safely.
#pragma once

#include <Python.h>

#include <atomic>

namespace pygpu {

// Stops this thread: it never goes on.
[[noreturn]] void park_thread();

// Reacquires the GIL for a thread that released it. Once the interpreter is finalising, the thread is parked
// instead. CPython would end the thread there, which would unwind C++ frames and abort the process.
[[gnu::hot]] void reacquire_gil(PyThreadState *state) noexcept;

// Whether the interpreter is finalising. Only the thread that finalises it can hold the GIL then.
inline bool interpreter_is_finalising() {
#if PY_VERSION_HEX >= 0x030d0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

// Called before a thread releases the GIL, if it is set.
extern std::atomic<void (*)()> before_release;

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

} // namespace pygpu
