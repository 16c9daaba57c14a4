// Recording events.
#include "host/core/event.hpp"

#include "host/core/settings.hpp"

#include <chrono>

namespace pygpu::host {

void Mark::reach() {
    nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::steady_clock::now().time_since_epoch())
                      .count();
    reached.store(true, std::memory_order_release);
}

void Event::record(const std::shared_ptr<Stream> &stream) {
    auto mark = std::make_shared<Mark>();
    std::lock_guard lock(mutex_);
    if (settings().strict || !stream->run_now([&] { mark->reach(); }))
        mark->point = stream->submit(make_work([mark] { mark->reach(); }));
    mark_ = std::move(mark);
}

std::shared_ptr<Mark> Event::mark() const {
    std::lock_guard lock(mutex_);
    return mark_;
}

} // namespace pygpu::host
