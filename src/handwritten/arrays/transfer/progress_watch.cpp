// Running signal handlers and progress calls during a long copy.
#include "arrays/transfer/progress_watch.hpp"

#include "python/gil.hpp"
#include "python/reference.hpp"

namespace pygpu::arrays {

ProgressWatch::ProgressWatch(std::size_t total, PyObject *progress) : total_(total), progress_(progress) {
    if (progress) begun_ = last_reported_ = Clock::now();
}

bool ProgressWatch::report() {
    if (!progress_) return true;
    const std::size_t done = done_.load(std::memory_order_relaxed);
    const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    const Reference result(PyObject_CallFunction(progress_, "nnd", static_cast<Py_ssize_t>(done),
                                                 static_cast<Py_ssize_t>(total_), rate));
    return static_cast<bool>(result);
}

bool ProgressWatch::go_on(Scope &scope) {
    if (stopped()) return false;
    const Clock::time_point now = Clock::now();
    if (last_reported_ == Clock::time_point()) last_reported_ = now;
    if (now - last_reported_ < std::chrono::milliseconds(watch_interval.load())) return true;
    PyThreadState *state = PyGILState_GetThisThreadState();
    if (!state || interpreter_is_finalising()) return true;
    reacquire_gil(state);
    scope.suspend();
    bool goes_on = !PyErr_CheckSignals() && report();
    if (const int status = scope.resume(); status && goes_on) {
        raise_status(scope.runtime(), status, "copying");
        goes_on = false;
    }
    if (!goes_on) raised_.emplace();
    last_reported_ = Clock::now();
    release_gil();
    return goes_on;
}

bool ProgressWatch::end(bool succeeded) {
    if (stopped()) {
        raised_.reset(); // sets the exception again
        return false;
    }
    done_ = total_;
    return !succeeded || report();
}

} // namespace pygpu::arrays
