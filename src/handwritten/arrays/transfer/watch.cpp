// Looking up from a long copy.
#include "arrays/transfer/watch.hpp"

#include "python/gil.hpp"

#include <utility>

namespace pygpu::arrays {

Watch::Watch(std::size_t total, PyObject *progress) : total_(total), progress_(progress) {
    if (progress) begun_ = told_ = Clock::now();
}

Watch::~Watch() {
    for (PyObject *part : error_) Py_XDECREF(part);
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
    if (stopped_) return false;
    const Clock::time_point now = Clock::now();
    if (told_ == Clock::time_point()) told_ = now;
    if (now - told_ < std::chrono::milliseconds(watch_interval.load())) return true;
    PyThreadState *state = PyGILState_GetThisThreadState();
    if (!state || interpreter_is_finalising()) return true;
    reacquire_gil(state);
    scope.suspend();
    stopped_ = PyErr_CheckSignals() || !tell();
    if (const int status = scope.resume(); status && !stopped_) {
        raise_status(scope.runtime(), status, "copying");
        stopped_ = true;
    }
    if (stopped_) PyErr_Fetch(&error_[0], &error_[1], &error_[2]);
    told_ = Clock::now();
    release_gil();
    return !stopped_;
}

bool Watch::end(bool succeeded) {
    if (stopped_) {
        PyErr_Restore(std::exchange(error_[0], nullptr), std::exchange(error_[1], nullptr),
                      std::exchange(error_[2], nullptr));
        return false;
    }
    done_ = total_;
    return !succeeded || tell();
}

} // namespace pygpu::arrays
