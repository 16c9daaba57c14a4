// What copies that are captured into a graph need as long as the graph.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "python/reference.hpp"

#include <vector>

namespace pygpu::arrays {

// What a captured copy reads and writes: a numpy array (or null), its staging, the arrays' memory.
struct Captured {
    Reference object;
    StagingBuffer staging;
    std::vector<Buffer::Using> buffers; // free() waits for the graph's end
};

// Keeps it as long as the graph that the stream is being captured into, and all that are made of it; for ever
// where the library can't say when they end. GIL held.
void keep_by_graph(const Runtime &runtime, Stream stream, Captured &&captured);

} // namespace pygpu::arrays
