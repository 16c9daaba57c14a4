// Counting forks.
#include "runtime/generation.hpp"

#include <pthread.h>

namespace pygpu {
namespace {

constinit Generations own_generations;

} // namespace

constinit Generations *generations = &own_generations;

void count_forks() {
    if (!generations->counts_forks.exchange(true))
        pthread_atfork(nullptr, nullptr, [] { ++generations->forks; });
}

} // namespace pygpu
