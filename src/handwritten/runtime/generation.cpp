// Counting forks.
#include "runtime/generation.hpp"

#include <pthread.h>

namespace pygpu {

void count_forks() {
    if (!generations->counts_forks.exchange(true))
        pthread_atfork(nullptr, nullptr, [] { ++generations->forks; });
}

} // namespace pygpu
