// One grid after another: the launched one, and those that kernels have launched.
#include "code/run_grid.hpp"

#include "base/fatal.hpp"
#include "base/interrupt.hpp"
#include "base/process.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"
#include "common/checked_int.hpp"
#include "common/demangled.hpp"
#include "device/device.hpp"
#include "device/facts.hpp"
#include "ptx/check/checker.hpp"
#include "ptx/read/loaded.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <ranges>
#include <vector>

namespace pygpu::host {
namespace {

constexpr std::size_t page = 4096;

} // namespace

bool stack_of(ptx::LaunchSetup &launch, std::size_t threads, int number) {
    std::size_t room = 0, all = 0;
    const CheckedInt stack = CheckedInt(device(number).limit(stack_limit)) + launch.body->stack;
    if (!stack.fits(launch.stack)) return false;
    if (!(stack * (launch.loaded->checks ? 16 : 1) + page).fits(room)) return false;
    launch.local_size = room / page * page;
    return (CheckedInt(launch.local_size) * threads).fits(all);
}

namespace {

void fail(ptx::Fault fault, const std::string &why) { break_devices(static_cast<Status>(fault), why); }

// Runs the grid alone; the result is what its threads have queued.
std::vector<ptx::ChildWork> run_alone(const ptx::LaunchSetup &setup, int number) {
    ptx::check::Reports reports;
    ptx::Launch launch(setup);
    const std::atomic<unsigned> &interrupts = interrupts_of(number);
    launch.interrupted = [&interrupts, number, before = interrupts.load()] {
        if (can_be_interrupted()) ask_for_interrupt(number);
        return interrupts.load(std::memory_order_relaxed) != before;
    };
    if (launch.loaded->checks) ptx::check::check_blocks(launch, reports);
    if (const int limit = settings().timeout)
        launch.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limit);
    launch.run();
    if (launch.loaded->checks) {
        for (const std::string &one : reports.texts()) report(one);
        if (settings().check_fails && reports.count())
            launch.fail(ptx::Fault::launch_failure,
                        demangled(launch.body->function->name) +
                            ": PYGPU_HOST_CHECK=error, and the checker has reported faults");
    }
    if (launch.fault == ptx::Fault::none) return launch.children.take();
    fail(launch.fault, launch.why);
    return {};
}

// A grid that a thread of another one has launched: with its code, and on its device.
bool set_up(const ptx::ChildWork &child, const ptx::LaunchSetup &from, int number, ptx::LaunchSetup &launch) {
    launch.loaded = from.loaded;
    launch.body = &from.loaded->body(*child.entry);
    std::ranges::copy(child.blocks, launch.grid);
    std::ranges::copy(child.threads, launch.block);
    launch.dynamic_shared = child.shared;
    launch.parameters = child.parameters;
    launch.cores = from.cores;
    launch.multiprocessors = from.multiprocessors;
    launch.memories = from.memories;
    launch.ending = from.ending;
    launch.origins = from.origins;
    const std::size_t threads = std::size_t{launch.block[0]} * launch.block[1] * launch.block[2];
    const std::string name = demangled(child.entry->name);
    if (child.entry->cluster[0] || child.entry->in_clusters)
        return fail(ptx::Fault::launch_failure,
                    name + ": a kernel launches a kernel in clusters, which can't be run"),
               false;
    if (from.loaded->static_shared(*child.entry) + child.shared >
            static_cast<std::size_t>(facts().shared_most) ||
        (child.entry->most_threads && threads > child.entry->most_threads) ||
        !stack_of(launch, threads, number))
        return fail(ptx::Fault::launch_failure,
                    name + ": a kernel launches it with too many threads, or too much shared memory"),
               false;
    return true;
}

// A copy or a set that a kernel has queued.
void move_bytes(const ptx::ChildWork &child, ptx::Memories &memories) {
    const auto reached = [&](std::uint64_t address, AddressRange &range) {
        auto held = memories.find(address, range);
        return held && range.has(address, child.size) ? held : nullptr;
    };
    AddressRange to, from;
    const auto written = reached(child.to, to);
    const auto read = child.kind == ptx::ChildWork::copy ? reached(child.from, from) : written;
    if (!written || !read || !to.writable)
        return fail(ptx::Fault::illegal_address, "a kernel's copy or set reaches beyond allocated memory");
    auto *const target = reinterpret_cast<char *>(child.to);
    if (child.kind == ptx::ChildWork::copy)
        std::memmove(target, reinterpret_cast<const char *>(child.from), child.size);
    else
        std::memset(target, child.value, child.size);
}

} // namespace

// A grid is done when all that it has queued is done: the next one waits for that, too.
void run_grid(const ptx::LaunchSetup &setup, int number) {
    if (process.fatal.load()) return;    // work after a fault is never run
    std::vector<ptx::ChildWork> waiting; // what runs next is last
    const auto add = [&](std::vector<ptx::ChildWork> queued) {
        std::ranges::move(queued | std::views::reverse, std::back_inserter(waiting));
    };
    add(run_alone(setup, number));
    while (!waiting.empty() && !process.fatal.load() && !process.ending.load()) {
        const ptx::ChildWork child = std::move(waiting.back());
        waiting.pop_back();
        if (child.kind != ptx::ChildWork::grid) {
            move_bytes(child, *setup.memories);
            continue;
        }
        ptx::LaunchSetup launch;
        if (set_up(child, setup, number, launch)) add(run_alone(launch, number));
    }
}

} // namespace pygpu::host
