// Reading the limits of a process: sched_getaffinity(2), and the files of control groups.
//
// Version 2 has a folder for each group, with cpu.max, memory.max and memory.current (the kernel's
// Documentation/admin-guide/cgroup-v2.rst). Of version 1 a container sees its own group in the roots.
#include "arrays/machine/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sched.h>
#include <string>
#include <thread>

namespace pygpu::arrays {
namespace {

const std::string root = "/sys/fs/cgroup";

// Visits the folder of each group of version 2 that the process is in, from its own to the root's.
template <class Visit> void for_each_group(Visit visit) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (line.rfind("0::/", 0)) continue;
        for (std::string path = line.substr(3); path.size() > 1; path.erase(path.rfind('/')))
            visit(root + path);
    }
    visit(root); // a container sees its own group as the root
}

// Processors by the quota of a group, 0 where it has none: "max 100000", or "200000 100000" in microseconds.
double quota_in(const std::string &group) {
    std::ifstream file(group + "/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
    return std::max(std::atof(quota.c_str()), 0.0) / period;
}

double quota_of_groups() {
    double least = 0;
    const auto consider = [&least](double quota) {
        if (quota > 0) least = least > 0 ? std::min(least, quota) : quota;
    };
    for_each_group([&](const std::string &group) { consider(quota_in(group)); });
    std::ifstream quota(root + "/cpu/cpu.cfs_quota_us"), period(root + "/cpu/cpu.cfs_period_us");
    double used = 0, each = 0;
    if (quota >> used && period >> each && used > 0 && each > 0) consider(used / each);
    return least;
}

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// What a group may still take; "max" is no number, and no limit.
std::uint64_t left_in(const std::string &limit, const std::string &usage) {
    std::ifstream most(limit), now(usage);
    std::uint64_t all = 0, used = 0;
    if (!(most >> all) || !(now >> used)) return no_limit;
    return all - std::min(all, used);
}

std::uint64_t left_on_the_machine() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    for (std::uint64_t kibibytes = 0; file >> name;
         file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
        if (name == "MemAvailable:" && file >> kibibytes) return kibibytes << 10;
    return 0;
}

} // namespace

int usable_processors() {
    static const int number = [] {
        int found = static_cast<int>(std::thread::hardware_concurrency());
        cpu_set_t allowed;
        if (!sched_getaffinity(0, sizeof allowed, &allowed)) found = CPU_COUNT(&allowed);
        const double quota = quota_of_groups();
        if (quota > 0) found = std::min(found, static_cast<int>(quota));
        return std::max(found, 1);
    }();
    return number;
}

std::atomic<int> &threads_asked_for() {
    static std::atomic<int> threads = [] {
        const char *given = std::getenv("PYGPU_COPY_THREADS");
        return given ? std::clamp(std::atoi(given), 0, 64) : 0;
    }();
    return threads;
}

std::size_t available_memory() {
    std::uint64_t least = left_on_the_machine();
    for_each_group([&](const std::string &group) {
        least = std::min(least, left_in(group + "/memory.max", group + "/memory.current"));
    });
    const std::string first = root + "/memory/memory.";
    return std::min(least, left_in(first + "limit_in_bytes", first + "usage_in_bytes"));
}

} // namespace pygpu::arrays
