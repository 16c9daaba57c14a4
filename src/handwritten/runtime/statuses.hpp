// The status codes of an API that PyGPU itself has to know, from the API's manifest.
#pragma once

#include <climits>
#include <span>

namespace pygpu {

struct Statuses {
    static constexpr int none = INT_MIN; // for a code that the API doesn't have

    int invalid_value = none, out_of_memory = none, invalid_device = none;
    int no_symbol = none;  // the library lacks the function
    int no_library = none; // there is no library
    int invalid_handle = none, not_ready = none;
    int context_is_destroyed = none; // by a reset
    int no_context = none;           // the thread has called nothing of the runtime yet
    int capture_unsupported = none;  // the call is not possible on a stream that is being captured
    int not_permitted = none;        // the call is forbidden here, in a host function for example
    int not_supported = none;
    int no_kernel_image = none;       // the code is for none of the machine's devices
    std::span<const int> successes{}; // besides 0
    // Where C's status is a struct of two codes: the first code beside which the second one says more, and
    // the class of the second one.
    int detailed = none;
    const char *detail_module = nullptr, *detail_class = nullptr;
    bool errnos = false; // a code without a name may be one of errno's

    // Whether a call with this status has succeeded.
    bool succeeded(int status) const { return status == 0 || is_other_success(status); }
    bool is_other_success(int status) const; // not inline: each bound function would contain a copy
};

} // namespace pygpu
