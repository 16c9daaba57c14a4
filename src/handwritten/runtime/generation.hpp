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

// How often it has come to an end, by whichever API of whichever module.
struct Generations {
    std::atomic<bool> counts_forks{false};
    std::atomic<unsigned> forks{0};
    std::atomic<unsigned> resets[most_devices]{};
    std::atomic<unsigned> code{0}; // how often code may have ended: with its library, or with its device

    std::atomic<unsigned> &resets_of(int device) { return resets[device & (most_devices - 1)]; }
};

// All extension modules take PyGPU._core's (module/shared.hpp).
inline Generations own_generations;
inline Generations *generations = &own_generations;

inline DeviceGeneration generation_of(int device) {
    return {generations->forks.load(std::memory_order_relaxed),
            generations->resets_of(device).load(std::memory_order_relaxed)};
}

// Whether this process is a child of the one that loaded PyGPU: locks may be held by threads that are gone,
// and every call into the vendor's library fails.
inline bool in_child() { return generations->forks.load(std::memory_order_relaxed) != 0; }

// From now on forks are counted. Resets and the ends of code are counted by what endings.hpp puts in the
// library's place.
void count_forks();

// What is known of a kernel's address holds as long as this doesn't change.
inline unsigned ended_code() { return generations->code.load(std::memory_order_acquire); }
inline void count_ended_code() { generations->code.fetch_add(1, std::memory_order_release); }

inline void count_reset(int device) {
    ++generations->resets_of(device);
    count_ended_code();
}

} // namespace pygpu
