// How long work in a stream waits for what may never come.
#include "streams/patience.hpp"

#include "base/fatal.hpp"
#include "base/interrupt.hpp"
#include "base/process.hpp"
#include "base/settings.hpp"
#include "base/thread.hpp"
#include "streams/stream.hpp"

#include <string>

namespace pygpu::host {

Patience::Patience(const char *what)
    : what_(what), device_(running_stream() ? running_stream()->device : thread().device),
      interrupts_(interrupts_of(device_)) {}

bool Patience::is_over() {
    Stream *const stream = running_stream();
    if (process.fatal.load() || process.ending.load() || (stream && stream->gives_up())) return true;
    const std::chrono::seconds limit(settings().timeout);
    if (can_be_interrupted()) ask_for_interrupt(device_);
    std::string why;
    if (interrupts_of(device_).load(std::memory_order_relaxed) != interrupts_)
        why = std::string(what_) + ", and an interrupt has ended the wait for it";
    else if (limit.count() && std::chrono::steady_clock::now() - begin_ > limit)
        why = std::string(what_) + " for more than " + std::to_string(limit.count()) +
              " s (PYGPU_HOST_TIMEOUT)";
    else
        return false;
    break_devices(Status::launch_timeout, why);
    return true;
}

} // namespace pygpu::host
