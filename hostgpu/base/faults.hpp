// Failing on purpose: the k-th call of a function returns a given code.
#pragma once

#include <atomic>

namespace pygpu::host {

struct Call;

extern std::atomic<int> faults; // how many are armed; negative while the environment's are still unread

int arm_environment();

inline bool faults_armed() {
    const int armed = faults.load(std::memory_order_relaxed);
    return armed > 0 || (armed < 0 && arm_environment() > 0);
}

// The code that this call has to return, 0 where it may run. Counts the call.
int fault_of(const Call &call);

// The same for an allocation, whichever call makes it.
int fault_of_allocation();

// From now on the `nth` call (1 is the next) of the function, and `times` from there (0: always), return
// `code`. "*" is every function, "allocate" each allocation. Returns a number for `disarm`.
long arm(const char *function, unsigned long long nth, unsigned long long times, int code);

// Disarms a fault; returns how often it struck, -1 for an unknown number.
long long disarm(long number);

} // namespace pygpu::host
