// Counting forks.
#include "runtime/generation.hpp"

#include <mutex>
#include <pthread.h>

namespace pygpu {

void count_forks() {
    static std::once_flag once;
    std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { ++forks; }); });
}

} // namespace pygpu
