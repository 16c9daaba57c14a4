// Recording events.
#include "host/core/event.hpp"

#include "host/core/settings.hpp"

#include <chrono>

namespace pygpu::host {

void Recording::reach() {
    nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count();
    reached.store(true, std::memory_order_release);
}

void Event::record(const std::shared_ptr<Stream> &stream) {
    auto recording = std::make_shared<Recording>();
    std::lock_guard lock(mutex_);
    if (settings().strict || !stream->run_now([&] { recording->reach(); }))
        recording->point = stream->submit(make_work([recording] { recording->reach(); }));
    recording_ = std::move(recording);
}

std::shared_ptr<Recording> Event::recording() const {
    std::lock_guard lock(mutex_);
    return recording_;
}

} // namespace pygpu::host
