// Ctrl-C while the program's first thread waits: what has been queued is waited for no longer than its
// kernels run.
#pragma once

#include <atomic>

namespace pygpu::host {

// Tells whether the signal's handler wants to end what this thread does. It may run any code of the
// program's.
using InterruptCheck = int();
void set_interrupt_check(InterruptCheck *check);

// Whether this thread has to ask now and then: it is the program's first one, and there is somebody to ask.
bool can_be_interrupted();
// Asks, but not more often than every 50 milliseconds. If so, the running kernels of the device fail.
void ask_for_interrupt(int device);
// How often the running kernels of a device were ended so.
std::atomic<unsigned> &interrupts_of(int device);

} // namespace pygpu::host
