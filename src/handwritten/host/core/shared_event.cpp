// Waiting across processes by a futex: std::atomic's wait() works within one process only.
#include "host/core/shared_event.hpp"

#include "host/core/process.hpp"

#include <atomic>
#include <ctime>
#include <fstream>
#include <iterator>
#include <linux/futex.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace pygpu::host {

// Pages are all zero at first.
struct SharedEvent::State {
    struct Recording {
        std::atomic<bool> ready;   // it was reached, though maybe not all before it
        std::atomic<int> recorder; // the process that made it
    };
    static constexpr std::uint32_t most = 1024; // recordings under way at once

    std::atomic<std::uint32_t> recorded, reached;
    Recording recordings[most]; // by number

    Recording &at(std::uint32_t number) { return recordings[number % most]; }
    void advance();
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

namespace {

// Numbers start again after 2^32.
bool is_behind(std::uint32_t one, std::uint32_t other) { return static_cast<std::int32_t>(one - other) < 0; }

long futex(std::atomic<std::uint32_t> &word, int what, std::uint32_t value, const timespec *timeout) {
    return syscall(SYS_futex, &word, what, value, timeout, nullptr, 0);
}

// Whether a process has ended. So has a zombie, which waits for somebody to ask for its exit code:
// /proc/[pid]/stat says Z behind the name, which may itself hold parentheses.
bool is_gone(int process) {
    if (!process) return false;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t name = text.rfind(')');
    return name == std::string::npos || name + 2 >= text.size() || text[name + 2] == 'Z' ||
           text[name + 2] == 'X';
}

} // namespace

// Moves `reached` over recordings that are ready, and over recordings of ended processes, which nobody can
// reach any more.
void SharedEvent::State::advance() {
    for (std::uint32_t now = reached; is_behind(now, recorded); now = reached) {
        Recording &next = at(now + 1);
        if (next.ready.exchange(false))
            reached = now + 1;
        else if (!is_gone(next.recorder))
            return;
        else if (!reached.compare_exchange_strong(now, now + 1))
            continue;
        futex(reached, FUTEX_WAKE, INT32_MAX, nullptr);
    }
}

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
    const std::uint32_t number = ++state().recorded;
    wait(number - State::most);
    state().at(number).recorder = getpid();
    return number;
}

void SharedEvent::reach(std::uint32_t number) {
    state().at(number).ready = true;
    state().advance();
}

std::uint32_t SharedEvent::last() const { return state().recorded; }

bool SharedEvent::reached(std::uint32_t number) const { return !is_behind(state().reached, number); }

void SharedEvent::wait(std::uint32_t number) const {
    constexpr timespec look_again{0, 50'000'000}; // whether the recording process has ended
    for (std::uint32_t now = state().reached; is_behind(now, number); now = state().reached) {
        if (process.ending) return;
        futex(state().reached, FUTEX_WAIT, now, &look_again);
        state().advance();
    }
}

} // namespace pygpu::host
