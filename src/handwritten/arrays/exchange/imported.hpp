// Tensors and arrays of other libraries as memory of ours.
#pragma once

#include "arrays/base/layout.hpp"
#include "arrays/memory/buffer.hpp"
#include "python/reference.hpp"

#include <Python.h>
#include <dlpack/dlpack.h>

namespace pygpu::arrays {

struct Imported {
    Retained<Buffer> buffer;
    char *data = nullptr;
    Layout layout;
    PyObject *dtype = nullptr; // borrowed, of those that stay
};

// Takes a tensor over, in every case: its deleter is called after the last use of the memory, or now where it
// can't be taken. The memory follows `stream`, or the stream of its device that is current where that one is
// another device's; the caller orders it. False with BufferError set; `call` begins the message.
bool import_tensor(const char *call, const Runtime &runtime, DLManagedTensorVersioned *managed,
                   const StreamArgument &stream, Imported &made);
bool import_tensor(const char *call, const Runtime &runtime, DLManagedTensor *managed,
                   const StreamArgument &stream, Imported &made);

// The device whose memory a tensor is, for streams: the current one for memory of the host.
int device_of_tensor(const Runtime &runtime, const DLDevice &device);

} // namespace pygpu::arrays
