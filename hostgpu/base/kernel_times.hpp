// Telling a watcher of the caller's when each kernel has run.
#pragma once

#include <cstdint>
#include <string_view>

namespace pygpu::host {

// The stream is its number; 0 is the default stream. Times are nanoseconds of CLOCK_MONOTONIC. Called by the
// thread that ran the kernel.
using KernelWatcher = void (*)(const char *name, int device, std::uint64_t stream, std::uint64_t begin,
                               std::uint64_t end);
// Null takes it away; then no thread is inside of it any more.
void set_kernel_watcher(KernelWatcher watcher);

// A kernel that runs while this lives; its name as the compiler writes it, which outlives this.
class KernelRun {
public:
    KernelRun(std::string_view name, int device, std::uint64_t stream);
    ~KernelRun();
    KernelRun(const KernelRun &) = delete;
    KernelRun &operator=(const KernelRun &) = delete;

private:
    const std::string_view name_;
    const int device_;
    const std::uint64_t stream_;
    std::uint64_t begin_ = 0;
};

} // namespace pygpu::host
