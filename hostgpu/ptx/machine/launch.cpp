// Running the blocks of a launch: in the order of their numbers, on this thread, and on others once that
// pays.
#include "ptx/machine/machine.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdio>
#include <deque>
#include <system_error>
#include <thread>

namespace pygpu::host::ptx {
namespace {

constexpr std::size_t most_waiting = 1024; // waiting clusters of each thread of ours
constexpr auto alone = std::chrono::microseconds(100);

// The thread may be the program's own, with a rounding mode of its own: kernels start with the default mode.
class DefaultFloats {
public:
    DefaultFloats() {
        std::fegetenv(&before_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloats() { std::fesetenv(&before_); }
    DefaultFloats(const DefaultFloats &) = delete;
    DefaultFloats &operator=(const DefaultFloats &) = delete;

private:
    std::fenv_t before_{};
};

} // namespace

Worker::Worker(Launch &of) : launch(of), memory(*of.memories) {
    if (launch.observe) written = std::make_unique<WriteFlags[]>(hint_count);
}

void Worker::forget_freed() {
    if (memory.forget_freed()) forget_hints();
}

void Worker::forget_released() {
    const std::uint64_t now = launch.released.load(std::memory_order_relaxed);
    if (now == released_) return;
    released_ = now;
    memory.forget();
    forget_hints();
}

void Worker::forget_hints() {
    std::ranges::fill(hints, AddressRange{});
    if (written) std::fill_n(written.get(), hint_count, WriteFlags{});
}

std::uint64_t Launch::next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

void Launch::fail(Fault with, const std::string &what) {
    std::lock_guard lock(mutex);
    if (fault == Fault::none) {
        fault = with;
        why = what;
    }
    stop = true;
}

void Launch::print(const std::string &text) {
    std::lock_guard lock(mutex);
    output += text;
    if (output.size() < std::size_t{1} << 16) return;
    std::fwrite(output.data(), 1, output.size(), stdout);
    output.clear();
}

bool Launch::ends_early() {
    const auto name = [this] { return std::string(body->function->name); };
    if (ending && ending->load(std::memory_order_relaxed)) return true;
    if (std::chrono::steady_clock::now() > deadline)
        fail(Fault::launch_timeout, name() + " has run for longer than PYGPU_HOST_TIMEOUT allows");
    else if (interrupted && interrupted())
        fail(Fault::launch_timeout, name() + " was ended, because an interrupt has ended the wait for it");
    else
        return false;
    return true;
}

void Launch::work() {
    const DefaultFloats floats;
    Worker worker(*this);
    std::deque<std::unique_ptr<Cluster>> waiting;
    std::vector<std::unique_ptr<Cluster>> idle;
    std::uint64_t begun = 0, naps = 0;
    bool more = true; // waiting blocks may need blocks that haven't begun
    while (!stop.load(std::memory_order_relaxed)) {
        if (ending && ending->load(std::memory_order_relaxed)) break;
        if (++begun % 64 == 0 && ends_early()) break;
        std::unique_ptr<Cluster> cluster;
        if (waiting.empty() || (more && (cooperative || waiting.size() < most_waiting))) {
            const std::uint64_t number = next_.fetch_add(1);
            if (number < clusters()) {
                if (idle.empty()) idle.push_back(std::make_unique<Cluster>(*this));
                cluster = std::move(idle.back());
                idle.pop_back();
                cluster->start(worker, number);
            } else if (waiting.empty()) {
                break;
            }
        }
        if (!cluster) {
            cluster = std::move(waiting.front());
            waiting.pop_front();
        }
        switch (cluster->run(worker)) {
        case Cluster::Turn::finished:
            idle.push_back(std::move(cluster));
            break;
        case Cluster::Turn::yielded: {
            more = cluster->waited;
            naps += cluster->ran ? 1 : 0;
            // Behind a short sleep the system would come back to this thread much too late.
            const bool yields = more && (!cluster->sleeps || naps % 64 == 0);
            waiting.push_back(std::move(cluster));
            if (yields) std::this_thread::yield();
            break;
        }
        case Cluster::Turn::failed:
            return;
        }
        if (spread) spread();
    }
}

void Launch::run() {
    std::vector<std::thread> others;
    const auto begin = std::chrono::steady_clock::now();
    const auto guarded = [this] {
        try {
            work();
        } catch (const std::exception &) { // no memory for a block
            fail(Fault::launch_failure, std::string(body->function->name) + ": out of memory on the host");
        }
    };
    const std::thread::id first = std::this_thread::get_id();
    if (cores > 1 && clusters() > 1) {
        spread = [&, first] {
            if (std::this_thread::get_id() != first || !others.empty() || next_.load() >= clusters()) return;
            if (!cooperative && std::chrono::steady_clock::now() - begin < alone) return;
            try {
                for (std::uint32_t number = 1; number < cores && number < clusters(); ++number)
                    others.emplace_back(guarded);
            } catch (const std::system_error &) { // fewer threads will do
            }
        };
    }
    guarded();
    for (std::thread &one : others) one.join();
    if (!output.empty()) std::fwrite(output.data(), 1, output.size(), stdout);
    std::fflush(stdout);
}

} // namespace pygpu::host::ptx
