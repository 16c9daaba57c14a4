// Keeps the host's objects that queued copies need until these are done, and those of captured copies as long
// as their graph.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <vector>

namespace pygpu::arrays {

// Keeps `object` (a numpy array, or null) and the staging buffer alive until all work that is now queued on
// the stream is done. The stream must not be captured (captures.hpp). If no event can be recorded, it waits
// for the stream. If that fails, too, it never releases them. GIL held.
int keep_until_done(Scope &scope, Stream stream, PyObject *object, StagingBuffer &&staging);

// Releases the objects of finished copies. GIL held. Called before every operation that queues work, and
// after waits.
void release_done();

// Whether no queued copy reads or writes the memory of a numpy array any more. With `wait`, waits for that.
// If the runtime fails, returns false with GPUError set and `failed` true.
bool host_is_ready(PyObject *array, bool wait, bool &failed);

// The memory that a captured copy reads and writes: a numpy array (or null), staging buffers, the arrays'
// memory.
struct Captured {
    Reference object;
    StagingBuffer staging;
    std::vector<Buffer::Using> buffers; // free() waits for the graph's end
};

// Keeps this memory as long as the graph that the stream is captured into, and as long as all graphs that are
// made from it. Never releases it if the library can't say when they end. GIL held.
void keep_by_graph(const Runtime &runtime, Stream stream, Captured &&captured);

} // namespace pygpu::arrays
