// The list of actions that wait for the next ordinary call.
#include "python/later.hpp"

#include "python/exception_aside.hpp"
#include "python/exit.hpp"
#include "python/gil.hpp"

#include <Python.h>

#include <memory>
#include <utility>

namespace pygpu {

constinit std::atomic<Postponed *> postponed{nullptr};

void postpone(std::function<void()> action) {
    auto *one = new Postponed{std::move(action), postponed.load(std::memory_order_relaxed)};
    while (!postponed.compare_exchange_weak(one->before, one, std::memory_order_release)) {
    }
}

void do_postponed() {
    if (inside_callback()) return;
    Postponed *newest = postponed.exchange(nullptr, std::memory_order_acquire);
    Postponed *oldest = nullptr;
    while (newest) {
        Postponed *before = std::exchange(newest->before, oldest);
        oldest = std::exchange(newest, before);
    }
    const ExceptionAside aside;
    while (oldest) {
        std::unique_ptr<Postponed> one(std::exchange(oldest, oldest->before));
        one->action();
    }
}

} // namespace pygpu
