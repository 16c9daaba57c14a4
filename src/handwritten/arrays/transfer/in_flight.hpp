// What queued copies need of the host until they are done, and captured ones as long as their graph.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/buffer.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "python/reference.hpp"

#include <Python.h>

#include <vector>

namespace pygpu::arrays {

// Keeps `object` (a numpy array, or null) and the staging buffer alive until all that is queued on the stream
// now is done. The stream is not being captured (captures.hpp). Where that can't be recorded it waits for the
// stream instead, and where that fails, too, keeps them for ever. GIL held.
int keep_until_done(Scope &scope, Stream stream, PyObject *object, StagingBuffer &&staging);

// Releases what is done. GIL held; called before every operation that queues something, and after waits.
void release_done();

// Whether no queued copy reads or writes the memory of a numpy array any more; with `wait`, waits for that.
// False with GPUError set and `failed` true where the runtime fails.
bool host_is_ready(PyObject *array, bool wait, bool &failed);

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
