// What the environment says about the host runtime, read once.
#pragma once

#include "base/profile.hpp"

#include <atomic>
#include <cstddef>
#include <string>

namespace pygpu::host {

struct Settings {
    int devices;              // PYGPU_HOST_DEVICES, default 1
    const Profile *profile;   // PYGPU_HOST_PROFILE=h200: what card each device is
    std::size_t memory;       // PYGPU_HOST_MEMORY: bytes of each device; default the profile's
    std::atomic<bool> strict; // PYGPU_HOST_STRICT=1: misuse is reported on stderr, nothing runs early
    bool leaks;               // PYGPU_HOST_LEAKS=1: what was not freed is listed at exit
    int major, minor;         // PYGPU_HOST_CAPABILITY=9.0: what CUDA's devices say; default the profile's
    int timeout;              // PYGPU_HOST_TIMEOUT=10: seconds that a kernel may run; default 0, no limit
    bool check;               // PYGPU_HOST_CHECK=1: faults of kernels are looked for
    bool check_fails;         // PYGPU_HOST_CHECK=error: and what is reported fails the launch
    std::string fail;         // PYGPU_HOST_FAIL="cudaMalloc:3:2,…": function, call, code

    // Whether memory knows where it was allocated and freed.
    bool origins() const { return strict || leaks || check; }
};

Settings &settings();

// Says on stderr that a variable's value isn't understood, and what was expected.
void ignore_setting(const char *variable, const char *value, const char *expected);

} // namespace pygpu::host
