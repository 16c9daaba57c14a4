// Devices and streams as DLPack numbers them.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

// Of memory; that of the host runtime is the CPU's.
DLDevice dlpack_device(const Buffer &buffer);

// Whether a backend reaches memory of this kind, and where it lies. BufferError.
bool load_place(const char *call, const Runtime &runtime, const DLDevice &device, Buffer::Place &place);

// What `stream=` of __dlpack__ says: a stream, or that none is to be ordered.
struct Consumer {
    Stream stream = nullptr;
    bool is_ordered = true;
};

// By the rules of CUDA, of ROCm and of the CPU. False with ValueError or TypeError set.
bool load_consumer(const Runtime &runtime, PyObject *given, const char *call, Consumer &consumer);

// The stream that a library's own address means: null is the legacy default stream's for all others, and the
// thread's own here where that is configured. And back.
Stream own_stream(const Runtime &runtime, void *stream);
void *known_to_all(const Runtime &runtime, Stream stream);

// The stream's number in __dlpack__; a new reference.
PyObject *stream_number(const Runtime &runtime, Stream stream);

} // namespace pygpu::arrays
