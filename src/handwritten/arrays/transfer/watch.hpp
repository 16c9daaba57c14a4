// What the caller of a long copy sees and says meanwhile: signals (Ctrl-C), and how far it has come.
#pragma once

#include "arrays/base/scope.hpp"
#include "python/exception_aside.hpp"

#include <Python.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>

namespace pygpu::arrays {

// Made and ended with the GIL held, by the thread that copies.
class Watch {
public:
    // `progress` is called with the bytes done, their total and the bytes a second; null for none.
    explicit Watch(std::size_t total, PyObject *progress = nullptr);

    // More bytes have arrived. From any thread.
    void add(std::size_t bytes) { done_.fetch_add(bytes, std::memory_order_relaxed); }

    // Between two pieces, by the thread that made it, with the GIL released: now and then it takes the GIL,
    // runs the handlers of signals and calls `progress`. False once either raised: the copy shall stop. The
    // scope's device is current again after that.
    bool go_on(Scope &scope);

    bool stopped() const { return raised_.has_value(); }

    // At the end, with the GIL: tells the last of the progress. False, with the exception set, where the copy
    // was stopped, or that raised.
    bool end(bool succeeded);

private:
    using Clock = std::chrono::steady_clock;

    bool tell(); // false with an exception set

    const std::size_t total_;
    PyObject *const progress_;       // borrowed
    Clock::time_point begun_, told_; // none yet: a short copy does not look at the clock
    std::atomic<std::size_t> done_{0};
    std::optional<ExceptionAside> raised_; // what stopped the copy
};

// How often it takes the GIL, in milliseconds; for tests.
inline std::atomic<int> watch_interval{50};

} // namespace pygpu::arrays
