// Handles signals (Ctrl-C) during a long copy, and reports its progress.
#pragma once

#include "arrays/base/scope.hpp"
#include "python/exception_aside.hpp"

#include <Python.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

namespace pygpu::arrays {

// The copying thread makes it and ends it, with the GIL held.
class ProgressWatch {
public:
    // `progress` is called with the bytes done, the total bytes and the bytes per second. It may be null.
    explicit ProgressWatch(std::size_t total, PyObject *progress = nullptr);

    // Adds bytes that have arrived. From any thread.
    void add(std::size_t bytes) { done_.fetch_add(bytes, std::memory_order_relaxed); }

    // Call between two pieces, on the thread that made the watch, with the GIL released. Now and then it
    // takes the GIL, runs signal handlers and calls `progress`. False if one of these has raised, and the
    // copy must stop. The scope's device is current again afterwards.
    bool go_on(Scope &scope);

    bool stopped() const { return raised_.has_value(); }

    // Call at the end, with the GIL. Reports the progress for the last time. False with an exception set if
    // the copy was stopped, or if `progress` raised.
    bool end(bool succeeded);

private:
    using Clock = std::chrono::steady_clock;

    bool report(); // false with an exception set

    const std::size_t total_;
    PyObject *const progress_;                // borrowed
    Clock::time_point begun_, last_reported_; // unset at first, since a short copy does not read the clock
    std::atomic<std::size_t> done_{0};
    std::optional<ExceptionAside> raised_; // what stopped the copy
};

// The milliseconds between two times that a watch takes the GIL. Tests change it.
inline std::atomic<int> watch_interval{50};

} // namespace pygpu::arrays
