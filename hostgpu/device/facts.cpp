// Asking the system for what a host device reports.
#include "device/facts.hpp"

#include "base/settings.hpp"

#include <unistd.h>

namespace pygpu::host {
namespace {

Facts ask() {
    Facts facts{};
    facts.memory = settings().memory;
    facts.major = settings().major;
    facts.minor = settings().minor;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    facts.cores = cores > 0 ? static_cast<int>(cores) : 1;
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
