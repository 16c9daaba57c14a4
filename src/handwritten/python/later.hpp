// Queue of work for the next ordinary call.
//
// A finaliser that runs inside a callback must not call the vendor's library. And a graph may release a
// callable on any thread, where taking the GIL might never end.
#pragma once

#include <atomic>
#include <functional>

namespace pygpu {

struct Postponed {
    std::function<void()> action;
    Postponed *before;
};

// The newest first. Without a lock, so that a fork at any moment leaves the list intact.
extern std::atomic<Postponed *> postponed;

inline bool has_postponed() { return postponed.load(std::memory_order_relaxed) != nullptr; }

// Callable on any thread, with or without the GIL.
void postpone(std::function<void()> action);

// Runs all postponed actions in their order, with the GIL held. Does nothing inside a callback. Keeps the
// current exception.
void do_postponed();

} // namespace pygpu
