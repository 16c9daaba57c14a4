// DLPack's numbers for devices and streams.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

#include <cstdint>

namespace pygpu::arrays {

// The device of a buffer's memory. The host runtime's memory is the CPU's.
DLDevice dlpack_device(const Buffer &buffer);

// Whether a backend can use memory of this device, and what kind of memory it is. False with BufferError set.
bool load_location(const char *call, const Runtime &runtime, const DLDevice &device,
                   Buffer::Location &location);

// The `stream` argument of __dlpack__(): a stream, or the wish that nothing is ordered.
struct Consumer {
    Stream stream = nullptr;
    bool is_ordered = true;
};

// Reads it by the runtime's numbers of streams, and by the rules for the CPU. False with ValueError or
// TypeError set.
bool load_consumer(const Runtime &runtime, PyObject *argument, const char *call, Consumer &consumer);

// Converts another library's stream to ours, and ours to that of another library. For other libraries null is
// always the legacy default stream. For PyGPU null is the thread's own default stream if that is configured.
Stream own_stream(const Runtime &runtime, void *stream);
void *known_to_all(const Runtime &runtime, Stream stream);

// A stream as a number that is never 0: its address, 1 for the legacy default stream, or 2 for the thread's
// own default stream.
std::uintptr_t number_of(const Runtime &runtime, Stream stream);

// The same as a Python int, but 0 for a default stream without such a number; a new reference.
PyObject *stream_number(const Runtime &runtime, Stream stream);

} // namespace pygpu::arrays
