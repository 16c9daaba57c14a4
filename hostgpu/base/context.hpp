// CUDA's contexts: each device has a primary one, which the runtime API uses; the driver API makes more.
#pragma once

#include "base/handles.hpp"
#include "base/status.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace pygpu::host {

class Context {
public:
    Context(int device, unsigned flags, bool primary);

    const int device;
    const bool primary;
    const unsigned long long id;
    std::atomic<unsigned> flags;
    std::atomic<bool> alive{true};
    void *handle = nullptr;
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
// the device's primary one.
unsigned long long context_for(int device);

// Replaces the current context; null pops it. The runtime's current device follows.
void set_current_context(std::shared_ptr<Context> context);
void push_context(std::shared_ptr<Context> context);

// Before a call of the runtime: where the thread has no context, its device's primary one becomes current.
Status use_primary_context();
// Before a call of the driver: invalid_context where there is none, context_is_destroyed where it is gone.
Status check_current_context();

} // namespace pygpu::host
