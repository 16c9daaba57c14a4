// What queued copies need of the host until they are done.
#pragma once

#include "arrays/base/runtime.hpp"
#include "arrays/base/scope.hpp"
#include "arrays/memory/staging_buffer.hpp"
#include "python/reference.hpp"

#include <Python.h>

namespace pygpu::arrays {

// Keeps `object` (a numpy array, or null) and the staging buffer alive until all that is queued on the stream
// now is done. The stream is not being captured (captures.hpp). Where that can't be recorded it waits for the
// stream instead, and where that fails, too, keeps them for ever. GIL held.
int keep_until_done(Scope &scope, const Runtime &runtime, Stream stream, PyObject *object,
                    StagingBuffer &&staging);

// Releases what is done. GIL held; called before every operation that queues something, and after waits.
void release_done();

// Whether no queued copy reads or writes the memory of a numpy array any more; with `wait`, waits for that.
// False with GPUError set and `failed` true where the runtime fails.
bool host_is_ready(PyObject *array, bool wait, bool &failed);

} // namespace pygpu::arrays
