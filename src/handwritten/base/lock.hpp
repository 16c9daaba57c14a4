// The lock of PyGPU's own tables, and the check that no such lock is held over a call that may wait.
//
// A call into a runtime may wait for a host function in Python, and a call into Python may wait for another
// thread. Either of them may need the same lock. Sanitizer and debug builds (PYGPU_CHECK_LOCKS) abort the
// process at such a call.
#pragma once

#include <mutex>

namespace pygpu {

#ifdef PYGPU_CHECK_LOCKS
void count_lock(int change);
void check_no_lock_held();
#else
inline void count_lock(int) {}
inline void check_no_lock_held() {}
#endif

class Lock {
public:
    explicit Lock(std::mutex &mutex) : lock_(mutex) { count_lock(1); }
    ~Lock() { count_lock(-1); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

private:
    const std::lock_guard<std::mutex> lock_;
};

} // namespace pygpu
