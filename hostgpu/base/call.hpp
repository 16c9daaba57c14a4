// The exported function that a thread runs.
#pragma once

#include "base/thread.hpp"
#include "host_apis.hpp"

#include <cstdint>

namespace pygpu::host {

// `pure` starts nothing (versions). `light` needs no device: it is allowed after a fatal error, and in host
// functions unless it is the driver API's. In the driver API all but pure calls need cuInit(), and all but
// light and pure ones a context.
//
// Unsafe calls are refused while a stream captures in a mode that forbids them. `unsafe_late` ones first look
// at the capture of their own stream or event, which they become part of or which has an error of its own.
enum class Guard : std::uint8_t { pure, light, light_unsafe, full, unsafe, unsafe_late };

inline bool needs_device(Guard guard) { return guard >= Guard::full; }
inline bool is_unsafe(Guard guard) { return guard == Guard::unsafe || guard == Guard::light_unsafe; }

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

// Sets the thread's current call for as long as it lives.
class Inside {
public:
    explicit Inside(const Call &call, ThreadState &state = thread())
        : state_(state), call_(state_.call), per_thread_(state_.per_thread), asks_(state_.asks_whether_done) {
        state_.call = &call;
        state_.per_thread = call.per_thread;
        state_.asks_whether_done = false;
    }
    ~Inside() {
        state_.call = call_;
        state_.per_thread = per_thread_;
        state_.asks_whether_done = asks_;
    }
    Inside(const Inside &) = delete;
    Inside &operator=(const Inside &) = delete;

private:
    ThreadState &state_;
    const Call *call_;
    bool per_thread_;
    bool asks_;
};

// The vendor of the call that this thread is in; CUDA outside of calls.
inline Vendor current_vendor() {
    const Call *call = thread().call;
    return call ? call->vendor : Vendor::cuda;
}
inline bool on_hip() { return current_vendor() == Vendor::hip; }

} // namespace pygpu::host
