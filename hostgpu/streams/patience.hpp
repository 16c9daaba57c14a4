// How long work in a stream waits for what may never come: a value in memory, the end of a graph's loop.
#pragma once

#include <chrono>

namespace pygpu::host {

class Patience {
public:
    // `what` the work does, for the report: "a loop of a graph runs".
    explicit Patience(const char *what);

    // Whether to wait no longer: after a fault, once the stream is ended, past PYGPU_HOST_TIMEOUT, and once
    // an interrupt has ended the program's wait. The last two break the devices.
    bool is_over();

private:
    const char *const what_;
    const int device_;
    const unsigned interrupts_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace pygpu::host
