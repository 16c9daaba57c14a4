// State of each device that ends with a reset or a fork, and its lock.
//
//     DeviceState<Store> store(device); // locked; after a reset Store::forget() was called
//     store->events.push_back(event);
//
//     DeviceState<Store>::peek(device).count.load(); // no lock: atomics only
#pragma once

#include "base/lock.hpp"
#include "runtime/generation.hpp"

#include <atomic>
#include <mutex>

namespace pygpu {

template <class T> class DeviceState {
public:
    // Don't lock in a child process: a thread that no longer exists may hold the lock.
    explicit DeviceState(int device) : entry_(entry_of(device)), lock_(entry_.mutex) {
        const DeviceGeneration now = generation_of(device);
        if (entry_.generation == now) return;
        entry_.generation = now;
        entry_.state.forget();
        entry_.resets.store(now.resets, std::memory_order_release);
    }

    T *operator->() const { return &entry_.state; }
    T &operator*() const { return entry_.state; }
    const DeviceGeneration &generation() const { return entry_.generation; }

    static T &peek(int device) { return entry_of(device).state; }
    // Whether no reset came since the lock was last taken. Then all that peek() shows still exists.
    static bool is_current(int device) {
        return entry_of(device).resets.load(std::memory_order_acquire) == generation_of(device).resets;
    }

private:
    struct Entry {
        std::mutex mutex;
        DeviceGeneration generation;
        std::atomic<unsigned> resets{0}; // of the generation
        T state;
    };

    static Entry &entry_of(int device) {
        static auto *entries = new Entry[most_devices]; // outlives every static destructor
        return entries[device & (most_devices - 1)];
    }

    Entry &entry_;
    const Lock lock_;
};

} // namespace pygpu
