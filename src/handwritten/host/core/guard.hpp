// The way into every exported function: fork, exit, faults on purpose, fatal errors, and the last error.
#pragma once

#include "host/core/status.hpp"
#include "host/core/thread.hpp"
#include "host_apis.hpp"
#include "runtime/entry.hpp"

#include <atomic>
#include <exception>
#include <type_traits>

namespace pygpu::host {

// `pure` starts nothing (versions); `light` needs no device: allowed in host functions, and after a fatal
// error. The driver API has to be initialized for all but pure calls, and all but light ones need a context.
enum class Guard { pure, light, full };

// One exported function.
struct Call {
    const char *symbol;
    const char *name;
    Vendor vendor;
    Guard guard;
    bool per_thread;
};

// For the list of functions.
struct Exported {
    const char *symbol;
    const char *name; // the function's in the newest release
    void *address;
    bool implemented;
    bool per_thread;
    int since; // the first release of this form, 0 where all have it
};

// An exported function's address; it compiles only where the function has the form that the bindings call.
template <class Entries, class Function> void *as_declared(Entry<Function> Entries::*, Function *function) {
    return reinterpret_cast<void *>(function);
}

// What stops a call before it runs; success where nothing does.
Status before(const Call &call);

// Notes the outcome; returns it.
Status after(const Call &call, Status status);

// What an exception means for C: memory or a thread that can't be had.
Status status_of(const std::exception &thrown);

// What a body returns. No exception may come to C's side of an exported function, or end a thread.
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
    explicit Inside(const Call &call) : state_(thread()), call_(state_.call), per_thread_(state_.per_thread) {
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

template <class Result, class Body> Result guarded(const Call &call, Body body) noexcept {
    const Inside inside(call);
    const Status status = caught([&] {
        const Status stopped = before(call);
        return stopped == Status::success ? body() : stopped;
    });
    const bool noted = status != Status::success || call.vendor == Vendor::hip;
    return static_cast<Result>(noted ? after(call, status) : status);
}

// The result of an unguarded function: a status in C's type, anything else as it is; where an exception stops
// it, -1 for a number, else nothing.
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
