// The guard around every exported function: it handles fork, exit, injected faults, fatal errors, and the
// last error.
#pragma once

#include "base/status.hpp"
#include "base/thread.hpp"
#include "host_apis.hpp"
#include "runtime/entry.hpp"

#include <cstdint>
#include <exception>
#include <type_traits>

namespace pygpu::host {

// `pure` starts nothing (versions). `light` needs no device: it is allowed after a fatal error, and in host
// functions unless it is the driver API's. In the driver API all but pure calls need cuInit(), and all but
// light and pure ones a context. `unsafe` is refused while a stream captures in a mode that forbids it.
enum class Guard : std::uint8_t { pure, light, full, unsafe };

// An exported function.
struct Call {
    const char *symbol;
    const char
        *other_name; // what the function is called in the newest release, null where that is the symbol
    Vendor vendor;
    Guard guard;
    bool per_thread;
    bool implemented = true;
    int since = 0; // the first release of this form, 0 where all have it
    int until = 0; // the first release with a newer form, 0 where there is none

    const char *name() const { return other_name ? other_name : symbol; }
};

// True; it compiles only where an exported function has the form that the bindings call.
template <class Entries, class Function> consteval bool as_declared(Entry<Function> Entries::*, Function *) {
    return true;
}

// Thrown to end a call with a status, from functions that return none.
struct Refused final : std::exception {
    explicit Refused(Status status) : status(status) {}
    Status status;
};

// The status that C gets for an exception: there is no memory or no thread, say.
Status status_of(const std::exception &thrown);

// What the body returns, or the status of its exception. No exception may reach the C caller or end a thread.
template <class Body> Status caught(Body body) noexcept {
    try {
        return body();
    } catch (const std::exception &thrown) {
        return status_of(thrown);
    }
}

inline Status not_supported() { return Status::not_supported; }

// Sets the thread's current call for as long as it lives.
class Inside {
public:
    explicit Inside(const Call &call, ThreadState &state = thread())
        : state_(state), call_(state_.call), per_thread_(state_.per_thread) {
        state_.call = &call;
        state_.per_thread = call.per_thread;
    }
    ~Inside() {
        state_.call = call_;
        state_.per_thread = per_thread_;
    }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;

private:
    ThreadState &state_;
    const Call *call_;
    bool per_thread_;
};

// Runs the body unless something stops the call before, and notes the outcome.
Status run_guarded(const Call &call, Status (*body)(void *), void *given) noexcept;

template <class Result, class Body> Result guarded(const Call &call, Body body) noexcept {
    auto run = [](void *given) { return (*static_cast<Body *>(given))(); };
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

// The vendor of the call that this thread is in.
Vendor current_vendor();
inline bool on_hip() { return current_vendor() == Vendor::hip; }

} // namespace pygpu::host
