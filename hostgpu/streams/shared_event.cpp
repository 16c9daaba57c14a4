// Waiting across processes by a futex: std::atomic's wait() works within one process only.
#include "streams/shared_event.hpp"

#include "base/files.hpp"
#include "base/process.hpp"
#include "streams/stream.hpp"

#include <atomic>
#include <ctime>
#include <linux/futex.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace pygpu::host {

// Pages are all zero at first.
struct SharedEvent::State {
    static constexpr std::uint32_t most = 1024; // recordings under way at once

    std::atomic<std::uint32_t> recorded, reached;
    std::atomic<std::uint64_t> recordings[most]; // each one's number and process

    std::atomic<std::uint64_t> &at(std::uint32_t number) { return recordings[number % most]; }
    void advance();
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4 &&
              std::atomic<std::uint64_t>::is_always_lock_free);

namespace {

// A recording in one word, so that its parts change together. Its process is 0 once it was reached, though
// maybe not all before it.
std::uint64_t recording_of(std::uint32_t number, std::uint32_t process) {
    return std::uint64_t{number} << 32 | process;
}
std::uint32_t number_of(std::uint64_t recording) { return static_cast<std::uint32_t>(recording >> 32); }
std::uint32_t process_of(std::uint64_t recording) { return static_cast<std::uint32_t>(recording); }

// Numbers start again after 2^32.
bool is_behind(std::uint32_t one, std::uint32_t other) { return static_cast<std::int32_t>(one - other) < 0; }

long futex(std::atomic<std::uint32_t> &word, int what, std::uint32_t value, const timespec *timeout) {
    return syscall(SYS_futex, &word, what, value, timeout, nullptr, 0);
}

// Whether a process has ended. So has a zombie, which waits for somebody to ask for its exit code:
// /proc/[pid]/stat says Z after the name, which may itself hold parentheses.
bool is_gone(std::uint32_t process) {
    std::string text;
    if (!read_file(("/proc/" + std::to_string(process) + "/stat").c_str(), text)) return true;
    const std::size_t name = text.rfind(')');
    return name == std::string::npos || name + 2 >= text.size() || text[name + 2] == 'Z' ||
           text[name + 2] == 'X';
}

} // namespace

// Moves `reached` over recordings that were reached, and over recordings of ended processes, which nobody can
// reach any more. Several threads and processes may do so at once, and any may end halfway.
void SharedEvent::State::advance() {
    for (std::uint32_t now = reached; is_behind(now, recorded); now = reached) {
        const std::uint64_t next = at(now + 1);
        // A place that holds a later number was passed already.
        if (number_of(next) == now + 1 && process_of(next) && !is_gone(process_of(next))) return;
        if (reached.compare_exchange_strong(now, now + 1)) futex(reached, FUTEX_WAKE, INT32_MAX, nullptr);
    }
}

std::shared_ptr<SharedEvent> SharedEvent::make() {
    auto pages = SharedPages::make(Shared::event, sizeof(State));
    return pages ? std::shared_ptr<SharedEvent>(new SharedEvent(std::move(pages))) : nullptr;
}

std::shared_ptr<SharedEvent> SharedEvent::open(const SharedFile &file) {
    if (file.size < sizeof(State)) return nullptr;
    auto pages = SharedPages::open(Shared::event, file);
    return pages ? std::shared_ptr<SharedEvent>(new SharedEvent(std::move(pages))) : nullptr;
}

// A number counts once its recording is written, so that a process can't take one and end. Whoever finds the
// recording of the next number written counts it.
std::uint32_t SharedEvent::begin() {
    for (;;) {
        std::uint32_t last = state().recorded;
        const std::uint32_t number = last + 1;
        wait(number - State::most);
        std::atomic<std::uint64_t> &place = state().at(number);
        std::uint64_t before = place;
        const bool mine = is_behind(number_of(before), number) &&
                          place.compare_exchange_strong(before, recording_of(number, getpid()));
        state().recorded.compare_exchange_strong(last, number);
        if (mine) return number;
    }
}

void SharedEvent::reach(std::uint32_t number) {
    state().at(number) = recording_of(number, 0);
    state().advance();
}

std::uint32_t SharedEvent::last() const { return state().recorded; }

bool SharedEvent::reached(std::uint32_t number) const { return !is_behind(state().reached, number); }

void SharedEvent::wait(std::uint32_t number) const {
    constexpr timespec look_again{0, 50'000'000}; // whether the recording process has ended
    for (std::uint32_t now = state().reached; is_behind(now, number); now = state().reached) {
        Stream *const waiting = running_stream();
        if (process.ending || (waiting && waiting->gives_up())) return;
        futex(state().reached, FUTEX_WAIT, now, &look_again);
        state().advance();
    }
}

} // namespace pygpu::host
