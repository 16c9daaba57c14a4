// Waiting across processes: by a futex, which std::atomic's is not.
#include "host/core/shared_event.hpp"

#include "host/core/process.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pygpu::host {

// Pages are all zero at first.
struct SharedEvent::State {
    std::atomic<std::uint32_t> recorded, reached;
    std::atomic<int> recorder; // the process that has recorded last
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

namespace {

// Numbers start again after 2^32.
bool is_behind(std::uint32_t one, std::uint32_t other) { return static_cast<std::int32_t>(one - other) < 0; }

long futex(std::atomic<std::uint32_t> &word, int what, std::uint32_t value, const timespec *timeout) {
    return syscall(SYS_futex, &word, what, value, timeout, nullptr, 0);
}

bool is_gone(int process) { return process && kill(process, 0) && errno == ESRCH; }

} // namespace

std::shared_ptr<SharedEvent> SharedEvent::make() {
    auto pages = SharedPages::make(sizeof(State));
    return pages ? std::shared_ptr<SharedEvent>(new SharedEvent(std::move(pages))) : nullptr;
}

std::shared_ptr<SharedEvent> SharedEvent::open(const SharedFile &file) {
    if (file.size < sizeof(State)) return nullptr;
    auto pages = SharedPages::open(file);
    return pages ? std::shared_ptr<SharedEvent>(new SharedEvent(std::move(pages))) : nullptr;
}

std::uint32_t SharedEvent::begin() {
    state().recorder = getpid();
    return ++state().recorded;
}

void SharedEvent::reach(std::uint32_t number) {
    std::atomic<std::uint32_t> &reached = state().reached;
    std::uint32_t before = reached;
    while (is_behind(before, number) && !reached.compare_exchange_weak(before, number)) {
    }
    futex(reached, FUTEX_WAKE, INT32_MAX, nullptr);
}

std::uint32_t SharedEvent::last() const { return state().recorded; }

bool SharedEvent::reached(std::uint32_t number) const { return !is_behind(state().reached, number); }

void SharedEvent::wait(std::uint32_t number) const {
    constexpr timespec look_again{0, 50'000'000}; // whether all that could reach it is gone
    for (std::uint32_t now = state().reached; is_behind(now, number); now = state().reached) {
        if (process.ending || is_gone(state().recorder)) return;
        futex(state().reached, FUTEX_WAIT, now, &look_again);
    }
}

} // namespace pygpu::host
