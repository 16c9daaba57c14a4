// Fork and exit.
#include "base/process.hpp"

#include "base/settings.hpp"

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace pygpu::host {

constinit Process process;

namespace {

void (*report_at_exit)() = nullptr;

void in_child() {
    if (!process.used.load()) return;
    process.forked = true;
    process.unusable = true;
}

// Queued work that hasn't begun is never run. Running work gets time to finish, so that no memory is unmapped
// under it. Users' functions aren't waited for, since they may wait for this thread.
void at_exit() {
    if (process.forked) return;
    if (settings().leaks && report_at_exit) report_at_exit();
    process.ending = true;
    process.unusable = true;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (process.running.load() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
}

} // namespace

void start_use(void (*report)()) {
    static std::once_flag once;
    std::call_once(once, [report] {
        report_at_exit = report;
        pthread_atfork(nullptr, nullptr, in_child);
        std::atexit(at_exit);
    });
    process.used = true;
}

} // namespace pygpu::host
