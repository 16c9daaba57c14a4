// Calls of Python that C asks for and doesn't wait for. A thread of PyGPU makes them, in their order, so that
// C's thread never waits for the GIL, which may be held by a thread that waits for C's.
#pragma once

namespace pygpu {

// Starts the thread if there is none. With the GIL. False with RuntimeError set.
bool start_call_queue();

// The function for C: the call of a token is to be made once.
void queue_call(void *token);

// Waits until all calls that were queued are made. Without the GIL.
void wait_for_queued_calls();

} // namespace pygpu
