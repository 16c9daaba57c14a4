// Copies through a ring of page-locked pieces: threads fill or empty them, the caller sends them.
//
// The runtimes bring ordinary memory through page-locked pieces with one thread, which is slower than the
// bus. Here some threads copy between the caller's memory and the pieces, element by element where a side is
// strided, while other pieces are on the bus. One thread alone calls the runtime, in the order of the parts:
// so it doesn't matter whether each thread has a default stream of its own, and no thread waits for another
// in the driver.
#pragma once

#include "arrays/transfer/engine.hpp"

namespace pygpu::arrays {

// Copies all elements of the host's side, in their order, to or from one run of device memory: in the order
// of the stream, done when it returns. A watch that says stop ends it with success. GIL released.
int copy_by_pieces(Job &job, bool up, char *device, const HostSide &host);

} // namespace pygpu::arrays
