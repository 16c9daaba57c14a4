// Turns of the blocks of a cluster, and threads that can never continue.
#include "ptx/machine/machine.hpp"

#include <ctime>

namespace pygpu::host::ptx {
namespace {

// The CPU time of this thread, which runs all turns of a cluster.
std::chrono::nanoseconds worked() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace

Cluster::Cluster(Launch &of) : launch(of) {
    for (std::uint32_t rank = 0; rank < of.blocks_in_cluster(); ++rank)
        blocks.push_back(std::make_unique<Block>(of, *this, rank));
}

void Cluster::start(Worker &worker, std::uint64_t number) {
    polled_ = 0;
    waited = false;
    arrived = 0;
    const std::uint32_t *const grid = launch.grid;
    if (blocks.size() == 1) { // without the divisions, which cost as much as an empty block
        const std::uint32_t at[3] = {static_cast<std::uint32_t>(number % grid[0]),
                                     static_cast<std::uint32_t>(number / grid[0] % grid[1]),
                                     static_cast<std::uint32_t>(number / grid[0] / grid[1])};
        return blocks[0]->start(worker, at);
    }
    std::uint32_t first[3];
    for (unsigned axis = 0; axis < 3; ++axis) {
        const std::uint32_t count = grid[axis] / launch.cluster[axis];
        first[axis] = static_cast<std::uint32_t>(number % count) * launch.cluster[axis];
        number /= count;
    }
    for (const auto &one : blocks) {
        const std::uint32_t *const size = launch.cluster;
        const std::uint32_t at[3] = {first[0] + one->rank % size[0], first[1] + one->rank / size[0] % size[1],
                                     first[2] + one->rank / size[0] / size[1]};
        one->start(worker, at);
    }
}

Cluster::Turn Cluster::run(Worker &by) {
    ran = false;
    unsigned rounds = 0;
    for (;;) {
        by.forget_freed();
        advanced_ = false;
        Progress round;
        for (const auto &one : blocks) {
            one->run(by, round);
            if (round.failed) return Turn::failed;
        }
        waited = round.waited;
        sleeps = round.sleeps;
        ran |= round.ran;
        if (std::ranges::none_of(blocks, [](const auto &one) { return one->living; })) return Turn::finished;
        if (round.sliced && launch.ends_early()) return Turn::failed;
        if (waits_for_ever(round.sliced && !round.runs && round.only_polled && !advanced_, round.slept))
            return deadlock("wait for a phase of an mbarrier, at which too few arrive");
        if (!round.sliced && !round.runs &&
            std::ranges::none_of(blocks, [](const auto &one) { return one->has_ready(); })) {
            for (const auto &one : blocks) {
                if (one->observer) one->observer->stuck();
            }
            return deadlock("wait at barriers, or for lanes of a .sync instruction, that others never reach");
        }
        if (round.sliced && (waited || ++rounds > 50)) return Turn::yielded;
    }
}

Cluster::Turn Cluster::deadlock(const char *why) {
    const auto stuck = std::ranges::find_if(blocks, [](const auto &one) { return one->living; });
    launch.fail(Fault::launch_timeout, std::string(launch.body->function->name) + ", " + (*stuck)->place() +
                                           ": deadlock: its threads " + why + "; a card would hang");
    return Turn::failed;
}

std::size_t Cluster::state() const {
    std::size_t sum = 0;
    for (const auto &one : blocks) one->add_state(sum);
    return sum;
}

// Only the cluster's threads arrive at its mbarriers: if they come to the same state again, they never
// continue. The search for such a cycle starts after a while, and compares states further and further apart
// (Brent 1980). A loop that reads a clock has another state each time. It counts as never ending after ten
// seconds, so that threads have time to work between two polls, or to give up. The seconds are CPU time of
// this thread, however busy the machine is.
bool Cluster::waits_for_ever(bool only_polled, bool slept) {
    constexpr std::chrono::milliseconds patience{100}, most_patience{10000};
    if (!only_polled) {
        polled_ = 0;
        return false;
    }
    const std::chrono::nanoseconds now = worked();
    if (!polled_++) {
        polling_since_ = now;
        compared_ = most_compared_ = 0;
    }
    if (polled_ <= 100 || now - polling_since_ <= patience) return false;
    if (now - polling_since_ > most_patience) return true;
    if (slept) return false; // how long a thread still sleeps is no part of the state
    const std::size_t current = state();
    if (compared_ && current == compared_with_) return true;
    if (compared_ == most_compared_) {
        compared_with_ = current;
        most_compared_ = 2 * most_compared_ + 1;
        compared_ = 0;
    }
    ++compared_;
    return false;
}

} // namespace pygpu::host::ptx
