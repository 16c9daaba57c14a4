// Asking the system.
#include "host/core/facts.hpp"

#include "host/core/settings.hpp"

#include <cstdio>
#include <unistd.h>

namespace pygpu::host {
namespace {

int clock_khz() {
    int khz = 0;
    if (std::FILE *file = std::fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "r")) {
        if (std::fscanf(file, "%d", &khz) != 1) khz = 0;
        std::fclose(file);
    }
    return khz;
}

Facts ask() {
    Facts facts{};
    facts.memory = settings().memory;
    facts.major = settings().major;
    facts.minor = settings().minor;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    facts.cores = cores > 0 ? static_cast<int>(cores) : 1;
    facts.clock_khz = clock_khz();
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    facts.cache_bytes = cache > 0 ? static_cast<int>(cache) : 0;
    return facts;
}

} // namespace

const Facts &facts() {
    static const Facts all = ask();
    return all;
}

} // namespace pygpu::host
