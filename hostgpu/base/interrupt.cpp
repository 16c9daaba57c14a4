// Asking for interrupts.
#include "base/interrupt.hpp"

#include <array>
#include <chrono>
#include <sys/syscall.h>
#include <unistd.h>

namespace pygpu::host {
namespace {

std::atomic<InterruptCheck *> interrupt_check{nullptr};

std::array<std::atomic<unsigned>, 64> interrupts{}; // by device

} // namespace

std::atomic<unsigned> &interrupts_of(int device) { return interrupts[static_cast<std::size_t>(device)]; }

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
    if (check && check()) ++interrupts_of(number);
}

} // namespace pygpu::host
