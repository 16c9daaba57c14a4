// Asking for interrupts.
#include "streams/interrupt.hpp"

#include "device/device.hpp"

#include <atomic>
#include <chrono>
#include <sys/syscall.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

std::atomic<InterruptCheck *> interrupt_check{nullptr};

} // namespace

void set_interrupt_check(InterruptCheck *check) { interrupt_check = check; }

bool can_be_interrupted() {
    thread_local const bool first = syscall(SYS_gettid) == getpid();
    return first && interrupt_check.load(std::memory_order_relaxed);
}

void ask_for_interrupt(int number) {
    thread_local std::chrono::steady_clock::time_point next{};
    const auto now = std::chrono::steady_clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(50);
    InterruptCheck *const check = interrupt_check;
    if (check && check()) ++device(number).interrupts;
}

} // namespace pygpu::host
