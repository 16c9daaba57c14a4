// Whether an object of a device still exists. A fork and a reset of the device end all its objects.
//
// An owner keeps the generation that its device had when the object was made. Once the generation has
// changed, the owner forgets the object without a call: in a child process the driver is gone, and after a
// reset the address may belong to a new object.
#pragma once

#include <atomic>

namespace pygpu {

struct DeviceGeneration {
    unsigned forks = 0;
    unsigned resets = 0;
    bool operator==(const DeviceGeneration &) const = default;
};

inline constexpr int most_devices = 256;

// Counts how often the objects of a device, or loaded code, have ended, by any API of any extension module.
struct Generations {
    std::atomic<bool> counts_forks{false};
    std::atomic<unsigned> forks{0};
    std::atomic<unsigned> resets[most_devices]{};
    std::atomic<unsigned> code{0}; // how often code may have ended: with its library, or with its device

    std::atomic<unsigned> &resets_of(int device) { return resets[device & (most_devices - 1)]; }
};

// All extension modules use the counts of PyGPU._core (module/shared.hpp).
extern Generations *generations;

inline DeviceGeneration generation_of(int device) {
    return {generations->forks.load(std::memory_order_relaxed),
            generations->resets_of(device).load(std::memory_order_relaxed)};
}

// Whether this process was forked from the one that loaded PyGPU. Threads that no longer exist may hold locks
// here, and every call into the vendor's library fails.
inline bool in_child() { return generations->forks.load(std::memory_order_relaxed) != 0; }

// Counts forks from now on. Resets and ends of code are counted by the functions of endings.hpp.
void count_forks();

// Facts about the kernel at an address are valid until this number changes.
inline unsigned ended_code() { return generations->code.load(std::memory_order_acquire); }
inline void count_ended_code() { generations->code.fetch_add(1, std::memory_order_release); }

inline void count_reset(int device) {
    ++generations->resets_of(device);
    count_ended_code();
}

} // namespace pygpu
