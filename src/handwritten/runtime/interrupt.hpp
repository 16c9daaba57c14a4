// Ctrl-C while the main thread waits for the host runtime.
#pragma once

namespace pygpu {

// Lets the library, where it is the host runtime, run the handlers of signals while it waits.
void offer_interrupts(void *library);

} // namespace pygpu
