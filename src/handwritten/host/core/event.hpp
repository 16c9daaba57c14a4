// Events: points in a stream's order, with the time at which they were reached.
#pragma once

#include "host/core/stream.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace pygpu::host {

struct Recording {
    Point point;
    std::atomic<bool> reached{false};
    std::atomic<std::int64_t> nanoseconds{0};

    void reach();
};

class Event {
public:
    Event(int device, unsigned flags, unsigned long long context)
        : device(device), flags(flags), context(context) {}

    const int device;
    const unsigned flags;
    const unsigned long long context; // the number of the one that it was made in

    bool timed() const { return !(flags & 2); }

    void record(const std::shared_ptr<Stream> &stream);
    // The last recording, null before the first.
    std::shared_ptr<Recording> recording() const;

private:
    mutable std::mutex mutex_;
    std::shared_ptr<Recording> recording_;
};

} // namespace pygpu::host
