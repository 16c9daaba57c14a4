// Events: points in a stream's order, with the time at which they were reached.
#pragma once

#include "base/handles.hpp"
#include "streams/shared_event.hpp"
#include "streams/stream.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace pygpu::host {

// Flags of an event, the same in all APIs.
inline constexpr unsigned disable_timing = 2, interprocess = 4;

struct Captured;

struct Recording {
    Point point;
    std::shared_ptr<const Captured> captured{}; // where it was recorded in a capture
    std::uint32_t number = 0;                   // the recording's number in an event that processes share
    bool in_graph = false; // a node of a launched graph reaches it: no point of a stream stands for it
    std::atomic<bool> reached{false};
    std::atomic<std::int64_t> nanoseconds{0};

    void reach(SharedEvent *across);
    void wait();
};

class Event {
public:
    // `across` is the part that processes share; null for an event of this process alone.
    Event(int device, unsigned flags, unsigned long long context, std::shared_ptr<SharedEvent> across = {})
        : device(device), flags(flags), context(context), across(std::move(across)) {}

    const int device;
    const unsigned flags;
    const unsigned long long context; // the number of the context that it was made in
    const std::shared_ptr<SharedEvent> across;

    bool timed() const { return !(flags & disable_timing); }

    void record(const std::shared_ptr<Stream> &stream);
    // For nodes of a graph that is being launched: it counts as recorded from now on, and what is returned
    // reaches the recording, or waits for the last one.
    std::function<void()> record_in_graph();
    std::function<void()> wait_in_graph() const;
    // The last recording of this process, null before the first.
    std::shared_ptr<Recording> recording() const;

    // Null where the last recording was outside of captures.
    std::shared_ptr<const Captured> captured() const;

    // These ask about the last recording, whichever process made it. An event that was never recorded counts
    // as reached.
    bool reached() const;
    void wait() const;
    void make_wait(Stream &stream) const;

private:
    // The number of the last recording if another process made it; 0 if this process made it, or nobody.
    std::uint32_t recorded_elsewhere(const std::shared_ptr<Recording> &here) const;

    mutable std::mutex mutex_;
    std::shared_ptr<Recording> recording_;
};

Handles<Event> &events();

} // namespace pygpu::host
