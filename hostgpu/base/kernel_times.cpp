// The watcher, and the clock.
#include "base/kernel_times.hpp"

#include "base/hook.hpp"
#include "common/demangled.hpp"

#include <atomic>
#include <ctime>

namespace pygpu::host {
namespace {

Hook<void(const char *, int, std::uint64_t, std::uint64_t, std::uint64_t)> watcher_of_kernels;
std::atomic<bool> is_watched{false}; // spares the clock

std::uint64_t nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

} // namespace

void set_kernel_watcher(KernelWatcher watcher) {
    watcher_of_kernels.set(watcher);
    is_watched = watcher != nullptr;
}

KernelRun::KernelRun(std::string_view name, int device, std::uint64_t stream)
    : name_(name), device_(device), stream_(stream) {
    if (is_watched) begin_ = nanoseconds();
}

KernelRun::~KernelRun() {
    if (begin_) watcher_of_kernels(demangled(name_).c_str(), device_, stream_, begin_, nanoseconds());
}

} // namespace pygpu::host
