// Handing memory over between streams: what goes on there comes after all that was queued.
#pragma once

#include "arrays/memory/buffer.hpp"

namespace pygpu::arrays {

// Stream `consumer` comes after all work that PyGPU queued on the memory, and its address escapes. Makes no
// API call where that is so already. With the GIL, which may be released. The status.
int order_export(Buffer &buffer, Stream consumer);
// The same for the memory's own stream, which still exists then.
int order_to_home(Buffer &buffer);

// The same for the host: waits.
int wait_for_export(Buffer &buffer);

// Stream `consumer` of a device comes after what is queued on a producer's. The status.
int order_import(const Runtime &runtime, int device, Stream consumer, Stream producer);

} // namespace pygpu::arrays
