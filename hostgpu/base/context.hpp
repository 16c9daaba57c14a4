// CUDA's contexts: each device has a primary one, which the runtime API uses; the driver API makes more. A
// green context is the primary one with a share of its multiprocessors.
#pragma once

#include "base/handles.hpp"
#include "base/status.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace pygpu::host {

class Context {
public:
    Context(int device, unsigned flags, bool primary, unsigned share = 0);

    const int device;
    const bool primary;
    const unsigned share; // a green context's multiprocessors; 0 of other contexts
    const unsigned long long id;
    std::atomic<unsigned> flags;
    std::atomic<int> attached{0}; // how often a thread has attached to it, and not yet detached
    std::atomic<bool> alive{true};
    void *handle = nullptr;

    bool green() const { return share != 0; }
};

Handles<Context> &contexts();

// A device's primary context. The runtime API uses it, and the driver API counts its references.
struct PrimaryContext {
    std::mutex mutex; // guards what follows
    std::shared_ptr<Context> context;
    int retained = 0;                      // references of the driver API
    std::atomic<bool> runtime_uses{false}; // the runtime API holds one, too
};
PrimaryContext &primary_of(int device);

// The same, made when first asked for.
std::shared_ptr<Context> primary_context(int device);

// The thread's current context; null where it has none.
std::shared_ptr<Context> current_context();

// The number of the context in which things are made on a device: the current one if it is the device's, else
// the device's primary one. What is made in a green context is the primary one's.
unsigned long long context_for(int device);
// The current context if it is a green one of this device; else null.
std::shared_ptr<Context> current_green_context(int device);

// Replaces the current context; null pops it. The runtime's current device follows.
void set_current_context(std::shared_ptr<Context> context);
void push_context(std::shared_ptr<Context> context);

// Before a call of the runtime: where the thread has no context, its device's primary one becomes current.
Status use_primary_context();
// Before a call of the driver: invalid_context where there is none, context_is_destroyed where it is gone.
Status check_current_context();

} // namespace pygpu::host
