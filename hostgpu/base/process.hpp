// What holds for the whole process: in use, forked, ending, broken by a fatal error.
#pragma once

#include <atomic>

namespace pygpu::host {

struct Process {
    std::atomic<bool> used{false};
    std::atomic<bool> initialized{false}; // by cuInit, or by a call of CUDA's runtime
    std::atomic<bool> forked{false};
    std::atomic<bool> ending{false};
    std::atomic<bool> unusable{false}; // forked or ending
    std::atomic<int> fatal{0};         // the code that every later call returns, until the device is reset
    std::atomic<int> running{0};       // pieces of queued work that run now, users' functions not counted
};

extern Process process;

// The first call: from now on a forked child and the exit of the process are noticed. At exit `report` is
// called first, if PYGPU_HOST_LEAKS is set.
void start_use(void (*report)());

} // namespace pygpu::host
