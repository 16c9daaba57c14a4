// Finding the call that caused an asynchronous fault: PYGPU_LOCATE waits after each call that queues work, so
// that a fault is the status of the call that caused it.
#pragma once

#include <string>

namespace pygpu {
struct Api;
}

namespace pygpu::trace {

// Whether a stream is being captured; also if that can't be said.
bool is_capturing(const Api &api, void *stream);

// Waits for a stream unless it captures. Returns the status of the work; 0 also where nothing can be said.
// Without the GIL.
int wait_for(const Api &api, void *stream);

// Whether the last wait of this thread has found a fault, and nobody has asked since.
bool has_faulted();

// A kernel's name, as far as the API tells it; else its address.
std::string name_of_kernel(const Api &api, const void *function);

// Remembers that a call has caused this fault, with the line of Python, and says so on stderr. `call` is
// "cuLaunchKernel() of saxpy". With the GIL.
void blame(const Api &api, const std::string &call, void *stream, int status);

// What is remembered of a status; empty if nothing is. With the GIL.
std::string blamed(int status);

} // namespace pygpu::trace
