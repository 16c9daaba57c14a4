// The guard around every exported function: it handles fork, exit, injected faults, fatal errors, and the
// last error.
#pragma once

#include "base/call.hpp"
#include "base/caught.hpp"

#include <algorithm>
#include <initializer_list>
#include <type_traits>

namespace pygpu::host {

inline Status not_supported() { return Status::not_supported; }
inline Status invalid_value() { return Status::invalid_value; }

// Attributes, both ends included.
struct Attributes {
    int first, last;
};

template <class Enum> bool is_known(Enum attribute, std::initializer_list<Attributes> known) {
    const int number = static_cast<int>(attribute);
    return std::ranges::any_of(
        known, [&](const Attributes &one) { return one.first <= number && number <= one.last; });
}

// The first call of the process. From now on its forks and its exit are noticed, and leaks are reported
// there.
void begin_use();

// Runs the body unless something stops the call before, and notes the outcome.
Status run_guarded(const Call &call, Status (*body)(void *), void *argument) noexcept;

template <class Result, class Body> Result guarded(const Call &call, Body body) noexcept {
    auto run = [](void *argument) { return (*static_cast<Body *>(argument))(); };
    return static_cast<Result>(run_guarded(call, run, &body));
}

// The result of an unguarded function: a status in C's type, anything else as it is; on an exception -1 for
// an int, and zero or null for anything else.
template <class Result, class Body> Result bare(Body body) noexcept {
    if constexpr (std::is_same_v<decltype(body()), Status>) {
        return static_cast<Result>(caught(body));
    } else {
        Result result{};
        if constexpr (std::is_same_v<Result, int>) result = -1;
        caught([&] { return result = body(), Status::success; });
        return result;
    }
}

} // namespace pygpu::host
