// Running signal handlers and progress calls during a long copy.
#include "arrays/transfer/watch.hpp"

#include "python/gil.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {

Watch::Watch(std::size_t total, PyObject *progress) : total_(total), progress_(progress) {
    if (progress) begun_ = told_ = Clock::now();
}

bool Watch::tell() {
    if (!progress_) return true;
    const std::size_t done = done_.load(std::memory_order_relaxed);
    const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    const Reference result(PyObject_CallFunction(progress_, "nnd", static_cast<Py_ssize_t>(done),
                                                 static_cast<Py_ssize_t>(total_), rate));
    return static_cast<bool>(result);
}

bool Watch::go_on(Scope &scope) {
    if (stopped()) return false;
    const Clock::time_point now = Clock::now();
    if (told_ == Clock::time_point()) told_ = now;
    if (now - told_ < std::chrono::milliseconds(watch_interval.load())) return true;
    PyThreadState *state = PyGILState_GetThisThreadState();
    if (!state || interpreter_is_finalising()) return true;
    reacquire_gil(state);
    scope.suspend();
    bool goes_on = !PyErr_CheckSignals() && tell();
    if (const int status = scope.resume(); status && goes_on) {
        raise_status(scope.runtime(), status, "copying");
        goes_on = false;
    }
    if (!goes_on) raised_.emplace();
    told_ = Clock::now();
    release_gil();
    return goes_on;
}

bool Watch::end(bool succeeded) {
    if (stopped()) {
        raised_.reset(); // sets the exception again
        return false;
    }
    done_ = total_;
    return !succeeded || tell();
}

} // namespace pygpu::arrays
