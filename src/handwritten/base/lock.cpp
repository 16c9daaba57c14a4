// Counting the locks that a thread holds, in sanitizer and debug builds.
#include "base/lock.hpp"

#ifdef PYGPU_CHECK_LOCKS
#include <cstdio>
#include <cstdlib>

namespace pygpu {
namespace {

thread_local int locks_held = 0;

} // namespace

void count_lock(int change) { locks_held += change; }

void check_no_lock_held() {
    if (!locks_held) return;
    std::fputs("PyGPU: a lock of its own is held over a call into a runtime or Python\n", stderr);
    std::abort();
}

} // namespace pygpu
#endif
