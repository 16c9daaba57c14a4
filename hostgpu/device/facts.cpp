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
    const Profile &card = *settings().profile;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    facts.processors = processors > 0 ? static_cast<int>(processors) : 1;
    facts.cores = card.multiprocessors ? card.multiprocessors : facts.processors;
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    facts.cache_bytes = card.l2_bytes ? card.l2_bytes : cache > 0 ? static_cast<int>(cache) : 0;
    facts.clock_khz = card.clock_mhz * 1000;
    facts.memory_khz = card.memory_mhz * 1000;
    facts.memory_bits = card.memory_bits;
    facts.shared_most = card.shared_most;
    facts.shared_all = card.shared_all;
    facts.threads_at_once = card.threads;
    facts.blocks_at_once = card.blocks;
    facts.copy_engines = card.copy_engines;
    facts.fp64_ratio = card.fp64_ratio;
    facts.ecc = card.ecc;
    return facts;
}

} // namespace

const Facts &facts() {
    static const Facts all = ask();
    return all;
}

} // namespace pygpu::host
