// Reading the limits of a process: sched_getaffinity(2), and the files of control groups.
//
// A group is a folder, with cpu.max, memory.max, memory.high and memory.current (the kernel's
// Documentation/admin-guide/cgroup-v2.rst). In version 1 each controller has folders of its own, with files
// of other names (cgroup-v1/memory.rst).
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

// Visits the folders of the process's group, of its parent groups and of the root, for one controller.
template <class Visit> void for_each_group(const std::string &controller, Visit visit) {
    const std::string of_version_1 = root + '/' + controller;
    // A line is "0::/its/group" in version 2, "4:cpu,cpuacct:/its/group" in version 1.
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t from = line.find(':') + 1, to = std::min(line.find(':', from), line.size());
        const bool version_2 = from == to;
        if (!version_2 &&
            (',' + line.substr(from, to - from) + ',').find(',' + controller + ',') == line.npos)
            continue;
        for (std::string path = line.substr(std::min(to + 1, line.size())); path.size() > 1;
             path.erase(path.rfind('/')))
            visit((version_2 ? root : of_version_1) + path);
    }
    visit(root); // a container sees its own group as the root
    visit(of_version_1);
}

// The number of processors in the quota of a group; 0 without a quota. The file holds "max 100000", or
// "200000 100000" in microseconds.
double quota_in(const std::string &group) {
    std::ifstream both(group + "/cpu.max"), first(group + "/cpu.cfs_quota_us"),
        second(group + "/cpu.cfs_period_us");
    std::string quota;
    double period = 0;
    if (!(both >> quota >> period) && !(first >> quota && second >> period)) return 0;
    if (quota == "max" || period <= 0) return 0;
    return std::max(std::atof(quota.c_str()), 0.0) / period;
}

double quota_of_groups() {
    double least = 0;
    for_each_group("cpu", [&least](const std::string &group) {
        if (const double quota = quota_in(group); quota > 0)
            least = least > 0 ? std::min(least, quota) : quota;
    });
    return least;
}

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// The number after a name at the beginning of a line; 0 if there is no such line.
std::uint64_t number_in(const std::string &path, const std::string &name) {
    std::ifstream file(path);
    std::string word;
    for (std::uint64_t number = 0; file >> word;
         file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
        if (word == name && file >> number) return number;
    return 0;
}

// The bytes that a group may still take. The limit may be "max", which is no number and means no limit. The
// page cache counts as used, but the kernel frees it when memory is needed. A group that reads many files is
// full of it.
std::uint64_t left_in(const std::string &group, const char *limit, const char *usage, const char *files) {
    std::ifstream most(group + limit), now(group + usage);
    std::uint64_t all = 0, used = 0;
    if (!(most >> all) || !(now >> used)) return no_limit;
    used -= std::min(used, number_in(group + "/memory.stat", files));
    return all - std::min(all, used);
}

} // namespace

int usable_processors() {
    static const int number = [] {
        int cpus = static_cast<int>(std::thread::hardware_concurrency());
        cpu_set_t allowed;
        if (!sched_getaffinity(0, sizeof allowed, &allowed)) cpus = CPU_COUNT(&allowed);
        const double quota = quota_of_groups();
        if (quota > 0) cpus = std::min(cpus, static_cast<int>(quota));
        return std::max(cpus, 1);
    }();
    return number;
}

std::atomic<int> &threads_asked_for() {
    static std::atomic<int> threads = [] {
        const char *setting = std::getenv("PYGPU_COPY_THREADS");
        return setting ? std::clamp(std::atoi(setting), 0, 64) : 0;
    }();
    return threads;
}

std::size_t available_memory() {
    std::uint64_t least = number_in("/proc/meminfo", "MemAvailable:") << 10;
    for_each_group("memory", [&least](const std::string &group) {
        for (const char *limit : {"/memory.max", "/memory.high"})
            least = std::min(least, left_in(group, limit, "/memory.current", "inactive_file"));
        least = std::min(
            least, left_in(group, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"));
    });
    return least;
}

} // namespace pygpu::arrays
