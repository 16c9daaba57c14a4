// Devices and streams as DLPack numbers them.
#pragma once

#include "arrays/memory/buffer.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

#include <cstdint>

namespace pygpu::arrays {

// Whether ROCm's rules hold for device types and stream numbers. Asked at each exchange: strcmp() would show.
inline bool is_hip(const Runtime &runtime) { return *runtime.name == 'h'; }

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

// The number that CUDA has for a stream beside its address: 1 for the legacy default stream, 2 for the
// thread's.
std::uintptr_t number_of(const Runtime &runtime, Stream stream);

// The same as an int, by the rules of CUDA and of ROCm, whose default stream is 0; a new reference.
PyObject *stream_number(const Runtime &runtime, Stream stream);

} // namespace pygpu::arrays
