// Handing memory over from one stream to another: new work there comes after all work that was queued.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// Makes stream `consumer` come after all work that PyGPU has queued on the memory. The memory's address
// escapes. Makes no API call if the order is right already. With the GIL, which may be released. Returns the
// status.
int order_export(Buffer &buffer, Stream consumer);
// The same for the stream that the memory follows. Afterwards that is a stream that still exists.
int order_to_home(Buffer &buffer);

// The same for the host, by a wait.
int wait_for_export(Buffer &buffer);

// Makes stream `consumer` of a device come after the work on stream `producer`. Returns the status.
int order_import(const Runtime &runtime, int device, Stream consumer, Stream producer);

} // namespace pygpu::arrays
