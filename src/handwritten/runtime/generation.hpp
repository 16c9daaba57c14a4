// Whether what was made earlier still exists: all of a device's ends with a fork and with its reset.
//
// Owners keep the generation of their device from when they were made. Once it is over they forget what they
// own silently: in a child process the driver is gone, after a reset the address may be a new object's.
#pragma once

#include <atomic>

namespace pygpu {

struct DeviceGeneration {
    unsigned forks = 0;
    unsigned resets = 0;
    bool operator==(const DeviceGeneration &) const = default;
};

inline constexpr int most_devices = 256;

inline std::atomic<unsigned> forks{0};
inline std::atomic<unsigned> resets[most_devices];

inline DeviceGeneration generation_of(int device) {
    return {forks.load(std::memory_order_relaxed),
            resets[device & (most_devices - 1)].load(std::memory_order_relaxed)};
}

// Whether this process is a child of the one that loaded PyGPU: locks may be held by threads that are gone,
// and every call into the vendor's library fails.
inline bool in_child() { return forks.load(std::memory_order_relaxed) != 0; }

// From now on forks are counted. Resets are counted by what endings.hpp puts in the library's
// place.
void count_forks();

// How often code may have ended: with its library, or with its device. What is known of a kernel's address
// holds as long as this doesn't change.
inline std::atomic<unsigned> ended_code{0};
inline void count_ended_code() { ended_code.fetch_add(1, std::memory_order_release); }

inline void count_reset(int device) {
    ++resets[device & (most_devices - 1)];
    count_ended_code();
}

} // namespace pygpu
